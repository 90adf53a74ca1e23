import { layouts, type PlanRequest, type Subject } from '../src/schema/plan.js';
import { given, numberOf, UsageError, wordOf } from './option-values.js';

const text = { type: 'string' } as const;

/** The options that say what the clip shows, as `parseArgs` takes them. */
export const planOptions = {
  aspect: text,
  height: text,
  camera: text,
  layout: text,
  pace: text,
  'off-screen': text,
  subjects: text,
  'punch-in': { type: 'boolean' },
  'cut-offset': text,
  background: text,
  'background-colour': text,
  gap: text,
  corners: text,
} as const;

export const planUsage = `\
  --aspect W:H         shape of the clip                           (9:16)
  --height N           height of the clip in pixels                (auto: 1280 or 1920 for 9:16)
  --camera MODE        lock | follow | center                      (lock)
  --layout MODE        auto | single | stack | grid-3 | grid-4 | screen-speaker | inset | group | fit   (auto)
  --pace PACE          calm | standard | lively: how often the view may change                          (standard)
  --off-screen MODE    stay | wide | reaction                      (stay)
  --subjects LIST      who is who, by person_id of the face tracks (else face_id): ID:ROLE or ID:ROLE:WEIGHT with
                       commas between; ROLE is host | guest | ignore, WEIGHT what a second of their speech counts
                       for, 0 to 10: 0:host,2:ignore,3:guest:0.5   (everybody a guest)
  --punch-in           a slow approach while one speaker has a long turn
  --cut-offset S       seconds by which changes of speaker go before the voice (below 0: --cut-offset=-0.2) or
                       after it, -0.3 to 0.3                       (0)
  --background KIND    blur | black | colour | gradient: where no panel is                              (blur)
  --background-colour  the colour of --background colour, as #rrggbb                                    (#000000)
  --gap N              gap between panels, in widths of the clip, 0 to 0.1                              (0)
  --corners N          radius of the corners of panels, in widths of the clip, 0 to 0.5                 (0)`;

/** What the command line says of each option; `punch-in` is given or not. */
type Given = {
  readonly [Name in keyof typeof planOptions]?: (Name extends 'punch-in' ? boolean : string) | undefined;
};

/** @throws UsageError naming the option that is wrong. */
export function planRequestOf(options: Given): Partial<PlanRequest> {
  return given({
    aspect: aspectOf(options.aspect),
    outputHeight: numberOf('height', options.height, 16),
    camera: wordOf('camera', options.camera, ['lock', 'follow', 'center']),
    layout: wordOf('layout', options.layout, ['auto', ...layouts]),
    pace: wordOf('pace', options.pace, ['calm', 'standard', 'lively']),
    offScreen: wordOf('off-screen', options['off-screen'], ['stay', 'wide', 'reaction']),
    subjects: subjectsOf(options.subjects),
    punchIn: options['punch-in'],
    cutOffsetSec: numberOf('cut-offset', options['cut-offset'], -0.3, 0.3),
    background: wordOf('background', options.background, ['blur', 'black', 'colour', 'gradient']),
    backgroundColour: colourOf(options),
    gapRatio: numberOf('gap', options.gap, 0, 0.1),
    cornerRadiusRatio: numberOf('corners', options.corners, 0, 0.5),
  });
}

function aspectOf(value: string | undefined) {
  if (value === undefined) return undefined;
  const match = /^(\d+(?:\.\d+)?):(\d+(?:\.\d+)?)$/.exec(value);
  if (!match || !Number(match[1]) || !Number(match[2]))
    throw new UsageError('--aspect takes W:H, for example 9:16.');
  return { width: Number(match[1]), height: Number(match[2]) };
}

function colourOf({ background, 'background-colour': colour }: Given): string | undefined {
  if (colour === undefined) return undefined;
  if (!/^#[\da-f]{6}$/i.test(colour)) throw new UsageError('--background-colour takes #rrggbb.');
  if (background !== 'colour') throw new UsageError('--background-colour goes with --background colour.');
  return colour;
}

function subjectsOf(value: string | undefined): Subject[] | undefined {
  const subjects = value?.split(',').map((word): Subject => {
    const match = /^(\d+):(host|guest|ignore)(?::(\d+(?:\.\d+)?))?$/.exec(word.trim());
    const weight = match?.[3] === undefined ? undefined : Number(match[3]);
    if (!match || (weight !== undefined && weight > 10))
      throw new UsageError(
        `--subjects takes ID:ROLE or ID:ROLE:WEIGHT with commas between, for example 0:host,3:guest:0.5, not “${word}”.`,
      );
    return {
      personId: Number(match[1]),
      role: match[2] as Subject['role'],
      ...(weight !== undefined && { weight }),
    };
  });
  const twice = subjects?.find(({ personId }, i) => subjects.findIndex(s => s.personId === personId) !== i);
  if (twice) throw new UsageError(`--subjects names ${twice.personId} twice.`);
  return subjects;
}
