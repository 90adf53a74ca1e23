import type { PixelBox } from '../schema/geometry.js';
import type { Panel, Plan } from '../schema/plan.js';
import { type Cut, cutsOf, windowsOf } from './cuts.js';
import { fillBranch, fillCommands } from './ffmpeg-fill.js';

/** Times went through texts and the clocks of files: a command comes this much before its frame, in seconds. */
const graceSec = 1e-3;
/** Catmull-Rom, which is what magnifies in a clip as well (swscale's B and C). */
const scaling = 'flags=bicubic+accurate_rnd+full_chroma_int:param0=0:param1=0.5';

/**
 * The plan as a shell script for native ffmpeg (5.1 was tried): `sh portrait.sh INPUT OUTPUT [options of ffmpeg]`. One
 * filter graph draws everything: each panel of a layout is a branch that scales and crops, and `sendcmd` tells the branches
 * when they show what, on straight lines where the camera moves. Times are the source's, so frame rates may vary.
 *
 * Positions are whole output pixels, so that the picture lies up to half a pixel beside the library's own. The fills `blur`,
 * `black` and `colour` are drawn; `gradient` is drawn as `blur`, and corners are square. High dynamic range is not mapped.
 */
export function toFfmpegScript(plan: Plan): string {
  const cuts = cutsOf(plan);
  const startSec = cuts[0]?.startSec ?? 0;
  const endSec = cuts.at(-1)?.endSec ?? 0;
  const isPart = plan.first_frame > 0 || plan.frame_count < plan.total_frames;
  const range = isPart ? `-ss ${sec(startSec - graceSec)} -t ${sec(endSec - startSec)} ` : '';
  const originSec = isPart ? startSec - graceSec : 0;
  const lanes = Math.max(...plan.segments.map(({ panels }) => panels.length));
  const commands = cuts.flatMap(cut => commandsOf(cut, { plan, lanes, originSec }));
  const graph = [`[0:v]sendcmd=c='\n${commands.join('\n')}\n'[told]`, ...branchesOf(plan, lanes)].join(';\n');
  return `#!/bin/sh
# usage: sh THIS INPUT OUTPUT [options of ffmpeg for the output]
input=$1
output=$2
shift 2
graph=$(mktemp)
trap 'rm -f "$graph"' EXIT
cat >"$graph" <<'END'
${graph}
END
ffmpeg -nostdin ${range}-i "$input" -filter_complex_script "$graph" -map '[reframed]' -map '0:a?' "$@" "$output"
`;
}

/** The graph behind `sendcmd`: the first segment's views to begin with. */
function branchesOf(plan: Plan, lanes: number): string[] {
  const [first] = plan.segments;
  const inputs = Array.from({ length: lanes }, (_, lane) => `[in${lane}]`).join('');
  const panels = Array.from({ length: lanes }, (_, lane) => {
    const panel = first!.panels[lane] ?? first!.panels[0]!;
    const { width, height, x, y } = viewOf(panel.keyframes[0]!, panel, plan);
    const [w, h] = [Math.round(panel.output.width), Math.round(panel.output.height)];
    const scale = `scale@s${lane}=w=${width}:h=${height}:${scaling}`;
    // Chroma of every pixel, or a crop could not begin at odd ones, in the format that overlays read: nothing may stand
    // between the scaler and the crop or behind it, because other filters do not follow pictures that change their size.
    return `[in${lane}]format=yuva444p,${scale},crop@c${lane}=w=${w}:h=${h}:x=${x}:y=${y}:exact=1[panel${lane}]`;
  });
  const overlays = Array.from({ length: lanes }, (_, lane) => {
    const { output } = first!.panels[lane] ?? first!.panels[0]!;
    const place = `x=${Math.round(output.x)}:y=${Math.round(output.y)}`;
    const isShown = first!.panels[lane] !== undefined;
    return `[base${lane}][panel${lane}]overlay@o${lane}=${place}:format=yuv444:enable=${Number(isShown)}[base${lane + 1}]`;
  });
  return [
    `[told]split=${lanes + 1}[fill]${inputs}`,
    `[fill]${fillBranch(plan)}[base0]`,
    ...panels,
    ...overlays,
    // Plans count in displayed pixels: sources with another pixel aspect come out square.
    `[base${lanes}]setsar=1,format=yuv420p[reframed]`,
  ];
}

type Telling = { readonly plan: Plan; readonly lanes: number; readonly originSec: number };

/** What is told when a segment begins, and while its windows move. */
function commandsOf({ segment, startSec, endSec }: Cut, { plan, lanes, originSec }: Telling): string[] {
  const at = (timeSec: number) => sec(Math.max(0, timeSec - originSec - graceSec));
  const enter = Array.from({ length: lanes }, (_, lane) => {
    const panel = segment.panels[lane];
    return panel ? enterCommands(panel, lane, plan) : [`overlay@o${lane} enable 0`];
  }).flat();
  const moves = segment.panels.flatMap((panel, lane) => {
    const windows = windowsOf(panel);
    return windows.flatMap((window, i) => {
      const next = windows[i + 1];
      const told = next ? moveCommands(viewOf(window, panel, plan), viewOf(next, panel, plan), lane) : [];
      if (!told.length) return [];
      const end = at(Math.min(next!.timeSec, endSec));
      // Between two frames TI never comes to 1.
      const arrived =
        next!.timeSec < endSec
          ? [`${end} ${viewCommands(viewOf(next!, panel, plan), lane).join(', ')};`]
          : [];
      return [`${at(window.timeSec)}-${end} ${told.join(', ')};`, ...arrived];
    });
  });
  return [`${at(startSec)} ${[...fillCommands(segment, plan), ...enter].join(', ')};`, ...moves];
}

/** A crop larger than its picture is refused, so it is made small before the picture may shrink. */
function enterCommands(panel: Panel, lane: number, plan: Plan): string[] {
  const { output } = panel;
  return [
    ...[`crop@c${lane} w 2`, `crop@c${lane} h 2`],
    ...viewCommands(viewOf(panel.keyframes[0]!, panel, plan), lane),
    ...[`crop@c${lane} w ${Math.round(output.width)}`, `crop@c${lane} h ${Math.round(output.height)}`],
    ...[`overlay@o${lane} x ${Math.round(output.x)}`, `overlay@o${lane} y ${Math.round(output.y)}`],
    `overlay@o${lane} enable 1`,
  ];
}

/** Which option of a lane's filters a number of its view is. */
const targets = {
  width: ['scale@s', 'w'],
  height: ['scale@s', 'h'],
  x: ['crop@c', 'x'],
  y: ['crop@c', 'y'],
} as const;
const names = Object.keys(targets) as (keyof View)[];
const tell = (name: keyof View, lane: number, value: number | string): string =>
  `${targets[name][0]}${lane} ${targets[name][1]} ${value}`;

const viewCommands = (view: View, lane: number): string[] => names.map(name => tell(name, lane, view[name]));

/** Evaluated for each frame in between; TI goes from 0 to 1. */
const moveCommands = (from: View, to: View, lane: number): string[] =>
  names.flatMap(name => {
    const step = to[name] - from[name];
    return step ? [`[expr] ${tell(name, lane, `floor(${from[name]}.5+${step}*TI)`)}`] : [];
  });

type View = { readonly width: number; readonly height: number; readonly x: number; readonly y: number };

/** The scaled picture, and where in it the panel begins, in whole output pixels. */
function viewOf(window: PixelBox, { output }: Panel, plan: Plan): View {
  const scaleX = output.width / window.width;
  const scaleY = output.height / window.height;
  return {
    width: Math.round(plan.width * scaleX),
    height: Math.round(plan.height * scaleY),
    x: Math.max(0, Math.round(window.x * scaleX)),
    y: Math.max(0, Math.round(window.y * scaleY)),
  };
}

const sec = (value: number): string => Math.max(0, value).toFixed(6);
