export {
  type Advice,
  type AdvisorQuestion,
  adviceJsonSchema,
  type Difficulty,
  parseAdvice,
} from '../schema/advice.js';
export type { Advisor } from '../schema/advisor.js';
export { type OpenAiOptions, openAiAdvisor } from './open-ai-advisor.js';
export { promptApiAdvisor } from './prompt-api-advisor.js';
