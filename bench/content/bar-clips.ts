import type { Recipe } from './drawn-clips.js';

type Base = { readonly id: string; readonly source: string; readonly startSec: number };
const durationSec = 5;

/** Clips with bars of every kind over one real clip. Sizes are those that are met: 4:3 in 16:9, film, portrait, odd ones. */
export function barRecipes({ id, source, startSec }: Base): Recipe[] {
  const recipe = (
    kind: string,
    bars: Recipe['bars'],
    picture: Recipe['picture'],
    filters: string,
  ): Recipe => ({
    ...{ name: `${id}-${kind.replaceAll(' ', '-')}`, kind, source, startSec, durationSec, bars, picture },
    rectangles: [],
    filters,
  });
  /** The clip cut to a size and laid on a plain ground. */
  const padded = (
    kind: string,
    [width, height]: readonly [number, number],
    [x, y, w, h]: readonly [number, number, number, number],
    colour: 'black' | 'white',
    more = '',
  ) =>
    recipe(
      kind,
      colour,
      { x, y, width: w, height: h },
      `scale=${w}:${h}:force_original_aspect_ratio=increase,crop=${w}:${h},pad=${width}:${height}:${x}:${y}:${colour}${more}`,
    );
  const subtitle = `drawtext=text='We should never have come here':fontsize=30:fontcolor=white:x=(w-tw)/2`;
  const logo = 'drawbox=x=40:y=20:w=90:h=40:color=0xd02020:t=fill';
  const blurred = (width: number, height: number, w: number, h: number) => {
    const [x, y] = [(width - w) / 2, (height - h) / 2];
    const cut = `scale=${w}:${h}:force_original_aspect_ratio=increase,crop=${w}:${h},split[a][b]`;
    const fill = `[a]scale=${width}:${height}:force_original_aspect_ratio=increase,crop=${width}:${height},gblur=sigma=24,eq=brightness=-0.06[f]`;
    return `${cut};${fill};[f][b]overlay=${x}:${y}`;
  };
  return [
    padded('pillar box', [1280, 720], [160, 0, 960, 720], 'black'),
    padded('pillar box odd', [1280, 720], [147, 0, 986, 720], 'black'),
    padded('pillar box portrait', [1280, 720], [438, 0, 404, 720], 'black'),
    padded('letter box', [1280, 720], [0, 92, 1280, 536], 'black'),
    padded('letter box full hd', [1920, 1080], [0, 138, 1920, 804], 'black'),
    padded('letter box subtitles in bar', [1280, 720], [0, 92, 1280, 536], 'black', `,${subtitle}:y=h-62`),
    padded(
      'letter box subtitles across edge',
      [1280, 720],
      [0, 92, 1280, 536],
      'black',
      `,${subtitle}:y=h-106`,
    ),
    padded('letter box logo on bar', [1280, 720], [0, 92, 1280, 536], 'black', `,${logo}`),
    padded('both', [1280, 720], [160, 90, 960, 540], 'black'),
    padded('both small', [1280, 720], [320, 180, 640, 360], 'black'),
    padded('thin', [1280, 720], [8, 0, 1264, 720], 'black'),
    padded('top only', [1280, 720], [0, 60, 1280, 660], 'black'),
    padded('white pillar box', [1280, 720], [160, 0, 960, 720], 'white'),
    padded('white letter box', [1280, 720], [0, 92, 1280, 536], 'white'),
    recipe(
      'dark in letter box',
      'black',
      { x: 0, y: 92, width: 1280, height: 536 },
      `scale=1280:536:force_original_aspect_ratio=increase,crop=1280:536,eq=brightness=-0.25:contrast=0.6,pad=1280:720:0:92:black`,
    ),
    recipe('blurred', 'blurred', { x: 438, y: 0, width: 404, height: 720 }, blurred(1280, 720, 404, 720)),
    recipe(
      'blurred square',
      'blurred',
      { x: 280, y: 0, width: 720, height: 720 },
      blurred(1280, 720, 720, 720),
    ),
    recipe(
      'blurred down',
      'blurred',
      { x: 0, y: 438, width: 720, height: 404 },
      blurred(720, 1280, 720, 404),
    ),
    recipe(
      'none',
      'none',
      { x: 0, y: 0, width: 1280, height: 720 },
      'scale=1280:720:force_original_aspect_ratio=increase,crop=1280:720',
    ),
    recipe(
      'none dark',
      'none',
      { x: 0, y: 0, width: 1280, height: 720 },
      'scale=1280:720:force_original_aspect_ratio=increase,crop=1280:720,eq=brightness=-0.3:contrast=0.5',
    ),
    recipe(
      'none vignette',
      'none',
      { x: 0, y: 0, width: 1280, height: 720 },
      'scale=1280:720:force_original_aspect_ratio=increase,crop=1280:720,vignette=angle=PI/2.6',
    ),
  ];
}
