import { html, nothing } from 'lit-html';
import { type Layout, layouts, type PixelBox } from '../../src/index.js';
import { type Casting, facesAt } from '../../src/preview/index.js';
import { sidesOf } from '../aspect.js';
import { addCorrection, castFace, clearCorrections, redoEdit, subjectsOf, undoEdit } from '../edits.js';
import { isUnsure, type Page, scenesOf, segmentOf } from '../page.js';
import { clockWords, layoutWords, reasonWords, roleWords } from '../words.js';
import { peopleSwitch } from './people.js';

/** What the scene under the playhead shows and why, with everything that can be corrected in it. */
export function sceneView(page: Page) {
  const { store, player } = page;
  const { state } = store;
  const scene = scenesOf(state)[state.scene];
  const segment = scene && segmentOf(state, scene.scene_id);
  const timeOfScene = scene ? Math.max(scene.start_time, Math.min(player.timeSec, scene.end_time - 0.05)) : 0;
  const corrected = state.edit.corrections.filter(
    ({ timeSec }) => scene && timeSec >= scene.start_time && timeSec < scene.end_time,
  );
  const advice =
    segment?.reason === 'override' && !corrected.length
      ? state.edit.advice.find(
          ({ startSec, endSec }) => startSec < scene!.end_time && endSec > scene!.start_time,
        )
      : undefined;
  const layout = corrected.findLast(correction => correction.kind === 'layout')?.layout ?? 'auto';
  const choose = (value: Layout | 'auto') => {
    if (!scene) return;
    if (value === 'auto') {
      const corrections = state.edit.corrections.filter(
        correction => correction.kind !== 'layout' || !corrected.includes(correction),
      );
      store.set({ undo: [...state.undo, state.edit], redo: [], edit: { ...state.edit, corrections } });
    } else
      addCorrection(
        store,
        { kind: 'layout', timeSec: timeOfScene, layout: value },
        `Layout of this scene: ${layoutWords[value]}.`,
      );
  };
  return html`
    <section class="card scene-card" aria-labelledby="scene-title">
      <header>
        <h2 id="scene-title">${scene ? `Scene ${state.scene + 1}` : 'Scene'}</h2>
        <div class="row">
          <button id="undo" type="button" ?disabled=${!state.undo.length} @click=${() => undoEdit(store)}>Undo</button>
          <button id="redo" type="button" ?disabled=${!state.redo.length} @click=${() => redoEdit(store)}>Redo</button>
        </div>
      </header>
      ${
        scene && segment
          ? html`
              <p class="quiet-text">${clockWords(scene.start_time, true)} – ${clockWords(scene.end_time, true)}</p>
              <p class="why">
                ${advice ? `As the advisor says: ${advice.reason}` : reasonWords[segment.reason]}
                ${isUnsure(state, scene) ? html`<strong class="flag">Worth a look</strong>` : nothing}
              </p>
              ${alternatives(page, scene, segment)} ${faces(page, timeOfScene)} ${peopleSwitch(page)}
              <fieldset class="choices">
                <legend>Layout of this scene</legend>
                ${(
                  [
                    ['auto', 'Automatic'],
                    ...layouts.map(value => [value, layoutWords[value]] as const),
                  ] as const
                ).map(
                  ([value, label]) => html`<label
                    ><input
                      type="radio"
                      name="scene-layout"
                      value=${value}
                      .checked=${layout === value}
                      @change=${() => choose(value)}
                    />${label}</label
                  >`,
                )}
              </fieldset>
              <button
                type="button"
                id="clear-scene"
                ?disabled=${!corrected.length}
                @click=${() => clearCorrections(store, { startSec: scene.start_time, endSec: scene.end_time })}
              >
                Make this scene automatic again
              </button>
            `
          : html`<p class="quiet-text">Nothing is known about this part yet.</p>
              <ol class="steps">
                <li>The result plays as soon as the first seconds are analysed.</li>
                <li>Click a face to follow it, or drag the frame. What you decide stays, whatever is found later.</li>
                <li>Here you see why each scene is shown as it is, and what could be shown instead.</li>
                <li>Nothing is encoded before you export.</li>
              </ol>`
      }
    </section>
  `;
}

type Scene = ReturnType<typeof scenesOf>[number];
type Segment = NonNullable<ReturnType<typeof segmentOf>>;

type Choice = { readonly label: string; readonly style: string; readonly box?: PixelBox };

/** What else could be shown, cut out of the scene's picture. */
function alternatives({ store, player }: Page, scene: Scene, { alternatives: others, panels }: Segment) {
  const { state } = store;
  const picture = state.thumbnails.get(scene.start_frame);
  const parts = state.analysis.known?.parts;
  const size = state.source?.facts.display;
  if (!parts || !size) return nothing;
  const middleSec = (scene.start_time + scene.end_time) / 2;
  const { width: across, height: down } = sidesOf(state.edit.aspect);
  const shares = ({ x, width }: { x: number; width: number }) => {
    const windowShare = Math.min(1, (size.height * across) / down / size.width);
    const left = Math.min(1 - windowShare, Math.max(0, (x + width / 2) / size.width - windowShare / 2));
    return { windowShare, at: windowShare < 1 ? left / (1 - windowShare) : 0 };
  };
  // A window as wide as the source shows everything already.
  const all = (size.height * across) / down >= size.width;
  const shown = (all ? [] : others).flatMap((other): Choice[] => {
    if (other.layout === 'fit') return [{ label: 'Whole picture', style: 'background-size: contain' }];
    const face = facesAt(parts, middleSec).find(candidate => candidate.faceId === other.face_id);
    if (!face || face.faceId === panels[0]?.face_id) return [];
    const { windowShare, at } = shares(face.box);
    return [
      {
        label: `Face ${face.faceId + 1}`,
        box: face.box,
        style: `background-size: ${100 / windowShare}% auto; background-position: ${100 * at}% 50%`,
      },
    ];
  });
  return html`<div class="alternatives" role="group" aria-label="Instead show">
    <p class="quiet-text">${shown.length ? 'Instead show' : 'There is nothing else to show here.'}</p>
    <div class="row">
      ${shown.map(
        other => html`<button
          type="button"
          class="alternative"
          @click=${() => {
            if (other.box)
              addCorrection(
                store,
                { kind: 'follow', timeSec: middleSec, box: other.box, scope: 'scene' },
                `Follows ${other.label.toLowerCase()} in this scene.`,
              );
            else
              addCorrection(
                store,
                { kind: 'layout', timeSec: middleSec, layout: 'fit' },
                'Shows the whole picture.',
              );
            player.seek(Math.max(scene.start_time, player.timeSec));
          }}
        >
          <span
            class="thumb"
            style="aspect-ratio: ${across} / ${down};${picture ? `background-color: #000; background-image: url(${picture});` : ''}${other.style}"
          ></span>
          ${other.label}
        </button>`,
      )}
    </div>
  </div>`;
}

/** The faces of the moment, for those who do not point at them. */
function faces({ store, player }: Page, timeSec: number) {
  const { known } = store.state.analysis;
  const there = known ? facesAt(known.parts, timeSec) : [];
  const follow = (face: (typeof there)[number], scope: 'scene' | 'everywhere') => {
    player.pause();
    addCorrection(
      store,
      { kind: 'follow', timeSec, box: face.box, scope },
      `Follows face ${face.faceId + 1}.`,
    );
  };
  const role = ({ faceId, box }: (typeof there)[number]) => {
    const track = known?.parts.face_tracking_yolov8?.tracks.find(({ face_id }) => face_id === faceId);
    const personId = track?.person_id ?? faceId;
    const own = subjectsOf(store.state).find(subject => subject.personId === personId)?.role ?? 'guest';
    return html`<select
      aria-label=${`Role of face ${faceId + 1}`}
      title="In the whole video: a host is shown while nobody speaks"
      @change=${(event: Event) => {
        const chosen = (event.target as HTMLSelectElement).value as Casting['role'];
        castFace(store, { timeSec, box, role: chosen, news: `Face ${faceId + 1}: ${roleWords[chosen]}.` });
      }}
    >
      ${(Object.keys(roleWords) as Casting['role'][]).map(
        value => html`<option value=${value} .selected=${value === own}>${roleWords[value]}</option>`,
      )}
    </select>`;
  };
  return html`<div>
    <h3 class="legend">${there.length ? 'Faces of this moment' : 'No face is in sight at this moment.'}</h3>
    <ul class="faces" aria-label="Faces now">
      ${there.map(
        face => html`<li class=${face.speaking ? 'speaks' : ''}>
          <span class="number" aria-hidden="true">${face.faceId + 1}</span>
          <span class="words">Face ${face.faceId + 1}${face.speaking ? ', speaks' : ''}</span>
          ${role(face)}
          <span class="quiet-text">Follow in</span>
          <button
            type="button"
            aria-label=${`This scene: follow face ${face.faceId + 1}`}
            @click=${() => follow(face, 'scene')}
          >
            This scene
          </button>
          <button
            type="button"
            aria-label=${`Every scene: follow face ${face.faceId + 1}`}
            title="In every scene with a face in this place"
            @click=${() => follow(face, 'everywhere')}
          >
            Every scene
          </button>
        </li>`,
      )}
    </ul>
  </div>`;
}
