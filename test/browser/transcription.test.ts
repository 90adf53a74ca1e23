import { describe } from 'vitest';
import { describeTranscription } from '../contract/transcription-contract.js';
import { buzz, openTinyTranscription } from '../fixtures/tiny-transcription.js';

describe('Moonshine’s code in the browser', () =>
  describeTranscription(openTinyTranscription, {
    samples: buzz(0.1, 0.3, 0.4, 0.2, 0),
    text: ' low louder mid',
  }));
