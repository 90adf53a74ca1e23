export {
  type Advice,
  type AdvisorQuestion,
  adviceJsonSchema,
  type Difficulty,
  parseAdvice,
} from '../schema/advice.js';
export type { Advisor, AdvisorCall } from '../schema/advisor.js';
export { contactPicture } from './contact-picture.js';
export { type OpenAiOptions, openAiAdvisor } from './open-ai-advisor.js';
export { promptApiAdvisor } from './prompt-api-advisor.js';
