import wasmUrl from '@ffmpeg/core/wasm?url';
import coreUrl from '@ffmpeg/core?url';
import { afterAll, expect, test } from 'vitest';
import { commands } from 'vitest/browser';
import { openMedia } from '../../src/media/source.js';
import { readFrame } from './media-clips.js';
import { formatOddRow, type OddRow, readOddFile } from './media-odd.js';

const ffmpeg = { coreUrl, wasmUrl };

/**
 * What each file must give: frames inside the edit list as native ffprobe counts them and the displayed picture, or
 * the code of the refusal. A reader may also say `source_unsupported`, but not both.
 */
const expected: Readonly<Record<string, readonly [frames: number, display: string] | string>> = {
  'androidx_bbb_176x144_128kbps_15fps_h263.3gp': [15, '176x144 0°'],
  'androidx_bbb_800x640_768kbps_30fps_avc_2b_firstpts_10_sec.mp4': [120, '1137x640 0°'],
  'androidx_bear-vp9-odd-dimensions.webm': [30, '161x121 0°'],
  'androidx_hdr10-av1.mp4': [127, '720x1280 0°'],
  'androidx_hlg10-color-test.mp4': [9, '1920x1080 0°'],
  'androidx_init.mp4': 'no_video',
  'androidx_internal_emulator_transformer_output_180_rotated.mp4': [149, '1280x720 180°'],
  'androidx_invalid-bitstream.webm': 'decode_failed',
  'androidx_long_1080p_lowbitrate.mp4': [10883, '1920x1080 0°'],
  'androidx_sample.avi': [96, '960x400 0°'],
  'androidx_sample.flv': [30, '1080x720 0°'],
  'androidx_sample_android_slow_motion.mp4': [7, '1280x720 0°'],
  'androidx_sample_audio_only.mp4': 'no_video',
  'androidx_sample_edit_list.mp4': [77, '1080x1920 90°'],
  'androidx_sample_fragmented.mp4': [30, '1080x720 0°'],
  'androidx_sample_malformed_free_box.mp4': 'decode_failed',
  'androidx_sample_mdat_too_long.mp4': [30, '1080x720 0°'],
  'androidx_sample_missing_stsd.mp4': [30, '1080x720 0°'],
  'androidx_sample_partially_fragmented.mp4': [30, '1080x720 0°'],
  'androidx_sample_video_only.mp4': [30, '1080x720 0°'],
  'androidx_sample_without_stss.mp4': [30, '1080x720 0°'],
  'androidx_trim_optimization_failure.mp4': [167, '518x488 0°'],
  'mediabunny_annex-b.mp4': 'decode_failed',
  'mediabunny_cursed-vfr.mp4': [63, '3026x1386 0°'],
  'mediabunny_edts.mp4': [225, '854x480 0°'],
  'mediabunny_hevc.ts': [120, '1920x1080 0°'],
  'mediabunny_multiple-aac-tracks.mp4': 'no_video',
  'mediabunny_no-initial-keyframe.ts': [15, '640x360 0°'],
  'mediabunny_rotate-buck-bunny.mp4': [45, '1080x1920 90°'],
  'mediabunny_sar_2x1.mp4': [150, '1280x360 0°'],
  'mediabunny_transparency-faulty.webm': [300, '1920x1080 0°'],
  'mediabunny_video-h265.mp4': [300, '1920x1080 0°'],
  'mp4parse_chunk_out_of_range.mp4': 'decode_failed',
  'mp4parse_no_timescale.mp4': 'decode_failed',
  'mp4parse_short-cenc.mp4': 'source_encrypted',
  'mp4parse_zero_empty_stsc.mp4': 'decode_failed',
};

/** Files whose every frame takes too long on two cores: their first second is read, and all frames are counted. */
const heavy = /long_1080p|hevc|h265|sample_edit|faulty|cursed|hdr10/;

const readShared = async (name: string): Promise<File> => {
  const base64 = await commands.readFile(`../shared/media/odd/${name}`, 'base64');
  return new File([await (await fetch(`data:application/octet-stream;base64,${base64}`)).blob()], name);
};
const shared = await readShared('androidx_sample.avi').catch(() => undefined);
const rows: OddRow[] = [];

test.skipIf(!shared).for(Object.entries(expected))('%s (needs ../shared)', async ([name, want]) => {
  const file = await readShared(name);
  const range = heavy.test(name) ? { startSec: 0, endSec: 1 } : {};
  const both: OddRow[] = [];
  for (const decoder of ['webcodecs', 'ffmpeg'] as const)
    both.push(await readOddFile(file, decoder, { ffmpeg, range }));
  rows.push(...both);
  const other = both.filter(row => row.refused !== 'source_unsupported');
  expect(other.length).toBeGreaterThan(0);
  for (const row of other) {
    if (typeof want === 'string') {
      expect(row).toMatchObject({ refused: want });
      continue;
    }
    expect(row).toMatchObject({ totalFrames: want[0], display: want[1], disorder: 0 });
    if (!heavy.test(name)) expect(row.frames).toBe(want[0]);
  }
  expect(new Set(other.map(row => row.frames)).size).toBe(1);
});

test.skipIf(!shared).for([
  // Mean luma of the first frames by ffmpeg 5.1: zscale=t=linear:npl=100, p=bt709, tonemap=hable:desat=0, zscale=t=bt709:m=bt709:r=tv.
  ['androidx_hdr10-av1.mp4', 133.1],
  ['androidx_hlg10-color-test.mp4', 135.0],
] as const)('%s is as bright as ffmpeg makes it (needs ../shared)', async ([name, luma]) => {
  const media = await openMedia(await readShared(name), { ffmpeg });
  try {
    for await (const { frame } of media.frames({ endSec: 0.1 })) {
      const { meanLuma } = await readFrame(frame);
      frame.close();
      expect(Math.abs(meanLuma / luma - 1), `${meanLuma}`).toBeLessThan(0.15);
    }
  } finally {
    await media.close();
  }
});

afterAll(() => {
  if (rows.length) console.info(rows.map(formatOddRow).join('\n'));
});
