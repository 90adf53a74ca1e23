import type { PixelBox, Size } from '../../schema/geometry.js';
import { iou, overlapArea, unionBox } from '../box.js';
import type { TextLine } from './text-lines.js';

/** Something still to be read, in pixels of looks: lettering over a picture, or a slide or screen with its ground. */
export type ReadBox = PixelBox & { readonly kind: 'text' | 'screen'; readonly confidence: number };

/** What lines were found in. */
export type ReadPicture = {
  readonly luma: Uint8Array;
  /** The picture that was looked at before. */
  readonly before: Uint8Array;
  /** 1 where there is an edge of a letter. */
  readonly edges: Uint8Array;
  readonly size: Size;
};

/** Lines count as letters from this confidence on, and from the lower one on beside letters. */
const [minConfidence, minBeside] = [0.6, 0.25];
/** Pieces of a line are at most this far apart, in heights; lines of a block as far below one another. */
const [gapAlong, gapBelow] = [1.3, 0.9];
/** Blocks of a screen are at most as far below one another, in heights of the picture. */
const screenGap = 0.12;
/** A screen has at least so many lines, and its lettering covers so much of the width and height of the picture. */
const minScreenLines = 3;
const [minScreenWidth, minScreenHeight] = [0.25, 0.22];
/** So much of a screen is letters and plain ground; among pictures, captions are captions. */
const minScreenGround = 0.8;
/** Letters may stand on a plate of their own; what is larger by this factor is a wall or the sky. */
const maxPlate = 2.5;
/** A ground goes on where this share of the pixels is as the line before, within as many levels. */
const [minGroundShare, groundRange] = [0.75, 10];
/** More letters than this share of a row is something else. */
const maxLetterShare = 0.5;

/**
 * Joins lines to blocks, and blocks that stand on one still ground to screens.
 */
export function findReadBoxes(lines: readonly TextLine[], picture: ReadPicture): ReadBox[] {
  const { size } = picture;
  const sure = lines.filter(({ confidence }) => confidence >= minConfidence);
  const beside = lines.filter(line => line.confidence < minConfidence && line.confidence >= minBeside);
  const letters = [...sure, ...beside.filter(line => sure.some(other => isBeside(line, other)))];
  const rows = joinWhile(
    letters.map(line => ({ ...line, lines: 1 })),
    isBeside,
    true,
  );
  const blocks = joinWhile(rows, isBelow(gapBelow), false);
  const groups = joinWhile(blocks, (a, b) => isOver(a, b, screenGap * size.height), false);
  const screens = groups.flatMap(group => screenOf(group, picture));
  const apart = screens.filter((screen, i) => !screens.slice(0, i).some(other => iou(other, screen) > 0.5));
  const onPlates = blocks
    .filter(block => !apart.some(screen => overlapArea(screen, block) > 0.6 * block.width * block.height))
    .map(block => {
      const plate = groundAround(block, picture);
      const isPlate = plate.height <= maxPlate * block.height && plate.width <= maxPlate * block.width;
      return isPlate ? { ...block, ...plate } : block;
    });
  const texts = joinWhile(onPlates, (a, b) => overlapArea(a, b) > 0, false);
  return [...apart, ...texts.map(({ lines: _, ...text }) => ({ ...text, kind: 'text' as const }))];
}

/** The screen that a group of blocks stands on, if it is one: enough lettering, on a ground that is still and plain. */
function screenOf(group: Group, picture: ReadPicture): ReadBox[] {
  const { width, height } = picture.size;
  if (group.lines < minScreenLines) return [];
  if (group.width < minScreenWidth * width || group.height < minScreenHeight * height) return [];
  const box = groundAround(group, picture);
  if (groundShare(box, picture) < minScreenGround) return [];
  return [{ ...box, kind: 'screen', confidence: group.confidence }];
}

/** Share of the pixels in a box that are still, and plain or letters. */
function groundShare(box: PixelBox, { luma, before, edges, size: { width } }: ReadPicture): number {
  let [ground, count] = [0, 0];
  for (let y = box.y; y < box.y + box.height; y += 2)
    for (let x = Math.max(1, box.x); x < Math.min(width - 1, box.x + box.width); x += 2) {
      const at = y * width + x;
      count++;
      const isStill = Math.abs(luma[at]! - before[at]!) <= groundRange;
      const isPlain = Math.abs(luma[at + 1]! - luma[at - 1]!) <= groundRange;
      if (isStill && (isPlain || edges[at]! | edges[at - 1]! | edges[at + 1]!)) ground++;
    }
  return ground / Math.max(1, count);
}

type Group = TextLine & { readonly lines: number };

/** Joins groups as long as any two belong together. @param alongRow - Whether two on one row stay one line. */
function joinWhile(
  groups: readonly Group[],
  belong: (a: PixelBox, b: PixelBox) => boolean,
  alongRow: boolean,
): Group[] {
  const joined: Group[] = [];
  for (const group of groups) {
    let whole = group;
    for (;;) {
      const at = joined.findIndex(other => belong(other, whole));
      if (at < 0) break;
      const [other] = joined.splice(at, 1) as [Group];
      const confidence = Math.max(other.confidence, whole.confidence);
      const lines = alongRow ? Math.max(other.lines, whole.lines) : other.lines + whole.lines;
      whole = { ...unionBox(other, whole), confidence, lines };
    }
    joined.push(whole);
  }
  return joined;
}

/** Whether two pieces stand on one row, of nearly one height, with no more than a word between them. */
function isBeside(a: PixelBox, b: PixelBox): boolean {
  const shared = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  const apart = Math.max(a.x, b.x) - Math.min(a.x + a.width, b.x + b.width);
  return shared >= 0.5 * Math.min(a.height, b.height) && apart <= gapAlong * Math.max(a.height, b.height);
}

/** Whether one stands right below the other. */
const isBelow = (gap: number) => (a: PixelBox, b: PixelBox) =>
  isOver(a, b, gap * Math.min(24, Math.max(a.height, b.height)));

function isOver(a: PixelBox, b: PixelBox, gapPx: number): boolean {
  const shared = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const apart = Math.max(a.y, b.y) - Math.min(a.y + a.height, b.y + b.height);
  return shared >= 0.3 * Math.min(a.width, b.width) && apart <= gapPx;
}

/** The box grown over the ground that it stands on, and letters on it: still, and without a hard edge to it. */
function groundAround(
  box: PixelBox,
  { luma, before, edges, size: { width, height } }: ReadPicture,
): PixelBox {
  let { x, y } = box;
  let [right, bottom] = [x + box.width, y + box.height];
  /** Whether a row or column beyond the box is the ground's. @param inner - From a pixel to its neighbour inside. */
  const goesOn = (first: number, step: number, count: number, inner: number) => {
    let [same, letters] = [0, 0];
    for (let i = 0, at = first; i < count; i++, at += step) {
      if (edges[at]! | edges[at + inner]!) letters++;
      else if (
        Math.abs(luma[at]! - before[at]!) <= groundRange / 2 &&
        Math.abs(luma[at]! - luma[at + inner]!) <= groundRange
      )
        same++;
    }
    return letters <= maxLetterShare * count && same >= minGroundShare * (count - letters);
  };
  for (let grown = true; grown; ) {
    grown = false;
    if (y > 0 && goesOn((y - 1) * width + x, 1, right - x, width)) [y, grown] = [y - 1, true];
    if (bottom < height && goesOn(bottom * width + x, 1, right - x, -width))
      [bottom, grown] = [bottom + 1, true];
    if (x > 0 && goesOn(y * width + x - 1, width, bottom - y, 1)) [x, grown] = [x - 1, true];
    if (right < width && goesOn(y * width + right, width, bottom - y, -1)) [right, grown] = [right + 1, true];
  }
  return { x, y, width: right - x, height: bottom - y };
}
