import { html, nothing } from 'lit-html';
import { createRef, ref } from 'lit-html/directives/ref.js';
import { isCorrected, isUnsure, knownUntilSec, type Page, scenesOf, segmentOf } from '../page.js';
import { clockWords, reasonWords } from '../words.js';
import { curvesView } from './curves.js';
import { icon } from './icons.js';

/** Moved with each frame, apart from the page's own drawing. */
export const playheadLine = createRef<HTMLElement>();

/** A scene gets at least this much room, so that its picture can be made out. CSS pixels. */
const leastScenePx = 64;

/** Scenes with their pictures, and a lane for each face with where it speaks. */
export function timelineView(page: Page) {
  const { store, player } = page;
  const { state } = store;
  const { source, thumbnails } = state;
  const scenes = scenesOf(state);
  if (!source) return nothing;
  const { durationSec } = source.facts;
  const percent = (sec: number) => (100 * sec) / durationSec;
  const unsure = scenes.filter(scene => isUnsure(state, scene)).length;
  return html`
    <section class="timeline" aria-labelledby="timeline-title">
      <header>
        <h2 id="timeline-title">Scenes</h2>
        <p class="quiet-text">
          ${!scenes.length ? 'None is known yet.' : scenes.length === 1 ? '1 scene' : `${scenes.length} scenes`}${
            unsure ? `, ${unsure} worth a look` : ''
          }
        </p>
      </header>
      <div class="scroller" tabindex="0" role="region" aria-label="Timeline">
        <div class="tracks" style="min-width: ${scenes.length * leastScenePx}px">
          <div class="scenes" role="group" aria-label="Scenes">
            ${scenes.map((scene, i) => {
              const doubtful = isUnsure(state, scene);
              const reason = segmentOf(state, scene.scene_id)?.reason;
              const corrected = isCorrected(state, scene);
              const picture = thumbnails.get(scene.start_frame);
              const said = [
                `Scene ${i + 1}, from ${clockWords(scene.start_time)}`,
                doubtful ? 'worth a look' : '',
                corrected ? 'corrected' : '',
                reason ? reasonWords[reason] : '',
              ];
              return html`<button
                type="button"
                class="scene ${doubtful ? 'unsure' : ''} ${corrected ? 'corrected' : ''}"
                aria-current=${i === state.scene ? 'true' : 'false'}
                aria-label=${said.filter(Boolean).join(', ')}
                title=${reason ? reasonWords[reason] : ''}
                style="left: ${percent(scene.start_time)}%; width: ${percent(scene.end_time - scene.start_time)}%;${
                  picture ? `background-image: url(${picture})` : ''
                }"
                @click=${() => player.seek(scene.start_time + 0.001)}
              >
                <span>${i + 1}</span>${doubtful ? html`<b aria-hidden="true">?</b>` : nothing}${
                  corrected ? html`<b class="tick" aria-hidden="true">${icon('pen')}</b>` : nothing
                }
              </button>`;
            })}
          </div>
          ${lanes(page, percent)}
          <div class="unknown" style="clip-path: inset(0 0 0 ${percent(knownUntilSec(state))}%)"></div>
          <div class="playhead" ${ref(playheadLine)}></div>
        </div>
      </div>
      ${curvesView(page)}
    </section>
  `;
}

/** Rows of lanes: faces that are never on screen together share one. */
function lanes({ store }: Page, percent: (sec: number) => number) {
  const { known } = store.state.analysis;
  const rows: { endSec: number; faces: FaceLane[] }[] = [];
  for (const face of lanesOf(known?.parts)) {
    const row = rows.find(({ endSec }) => endSec <= face.startSec);
    if (row) {
      row.faces.push(face);
      row.endSec = face.endSec;
    } else rows.push({ endSec: face.endSec, faces: [face] });
  }
  return html`<div class="lanes" role="img" aria-label=${laneWords(rows.flatMap(({ faces }) => faces))}>
    ${rows.map(
      ({ faces }) => html`<div class="lane">
        ${faces.map(
          ({ startSec, endSec, turns }) => html`<i
              class="seen"
              style="left: ${percent(startSec)}%; width: ${percent(endSec - startSec)}%"
            ></i
            >${turns.map(
              turn => html`<i
                class="said"
                style="left: ${percent(turn.startSec)}%; width: ${percent(turn.endSec - turn.startSec)}%"
              ></i>`,
            )}`,
        )}
      </div>`,
    )}
  </div>`;
}

type Turn = { readonly startSec: number; endSec: number };
type FaceLane = Turn & { readonly faceId: number; readonly turns: readonly Turn[] };
type Parts = NonNullable<Page['store']['state']['analysis']['known']>['parts'];

let lastParts: Parts | undefined;
let lastLanes: FaceLane[] = [];

/** When each face is on screen and when it speaks. The page is drawn more often than the parts change. */
function lanesOf(parts: Parts | undefined): FaceLane[] {
  if (parts === lastParts) return lastLanes;
  lastParts = parts;
  lastLanes = (parts?.face_tracking_yolov8?.tracks ?? []).map(({ face_id, first_seen, last_seen }) => {
    const turns: Turn[] = [];
    let speaks = false;
    for (const { timestamp, speaking } of parts?.active_speaker?.tracks.find(t => t.face_id === face_id)
      ?.scores ?? []) {
      if (speaking && !speaks) turns.push({ startSec: timestamp, endSec: timestamp });
      if (speaking) turns.at(-1)!.endSec = timestamp;
      speaks = speaking;
    }
    return { faceId: face_id, startSec: first_seen, endSec: last_seen, turns };
  });
  return lastLanes;
}

function laneWords(faces: readonly FaceLane[]): string {
  const seconds = (face: FaceLane) =>
    Math.round(face.turns.reduce((sum, { startSec, endSec }) => sum + endSec - startSec, 0));
  const said = faces.map(face => `face ${face.faceId + 1} speaks ${seconds(face)} s`);
  return said.length ? `Faces: ${said.join(', ')}` : 'No faces';
}
