import { html, nothing } from 'lit-html';
import { layouts } from '../../src/index.js';
import { changeEdit } from '../edits.js';
import type { Page } from '../page.js';
import { aspects, type Edit } from '../state.js';
import { aspectWords, cutWords, layoutWords } from '../words.js';

/** What holds for the whole clip: shape, camera, layout. */
export function lookView(page: Page) {
  const { edit } = page.store.state;
  return html`<section class="card" aria-labelledby="look-title">
    <h2 id="look-title">Look</h2>
    ${choices(
      page,
      'aspect',
      'Shape',
      aspects.map(value => [value, `${value} ${aspectWords[value]}`] as const),
      edit,
    )}
    ${choices(
      page,
      'camera',
      'Camera',
      [
        ['lock', 'Still, cuts to the next speaker'],
        ['follow', 'Glides along'],
        ['center', 'Always the middle'],
      ],
      edit,
    )}
    ${choices(
      page,
      'layout',
      'Layout',
      [['auto', 'Automatic'], ...layouts.map(value => [value, layoutWords[value]] as const)],
      edit,
    )}
    ${choices(
      page,
      'pace',
      'Pace',
      [
        ['calm', 'Calm, long views'],
        ['standard', 'As people speak'],
        ['lively', 'Lively'],
      ],
      edit,
    )}
    ${choices(
      page,
      'background',
      'Where no picture is',
      [
        ['blur', 'Blurred'],
        ['black', 'Black'],
        ['gradient', 'Colours of the edges'],
        ['colour', 'One colour'],
      ],
      edit,
    )}
    ${edit.background === 'colour' ? colour(page) : nothing}
    <details id="look-more">
      <summary>Panels and cuts</summary>
      <div class="sliders">
        ${slider(page, 'gapRatio', { label: 'Gap between panels', least: 0, most: 0.1, step: 0.005, say: widthWords })}
        ${slider(page, 'cornerRadiusRatio', { label: 'Round corners', least: 0, most: 0.5, step: 0.01, say: widthWords })}
        ${slider(page, 'cutOffsetSec', { label: 'Changes of speaker', least: -0.3, most: 0.3, step: 0.05, say: cutWords })}
        <label class="switch"
          ><input
            type="checkbox"
            name="look-punchIn"
            .checked=${edit.punchIn}
            @change=${(event: Event) => {
              const punchIn = (event.target as HTMLInputElement).checked;
              changeEdit(
                page.store,
                { punchIn },
                punchIn ? 'Moves in slowly on long turns.' : 'Does not move in.',
              );
            }}
          />Move in slowly on long turns</label
        >
      </div>
    </details>
  </section>`;
}

/** A share of the clip's width. */
const widthWords = (ratio: number) => (ratio ? `${(100 * ratio).toFixed(1)} % of the width` : 'none');

function colour({ store }: Page) {
  return html`<label class="switch"
    ><input
      type="color"
      name="look-backgroundColour"
      .value=${store.state.edit.backgroundColour}
      @change=${(event: Event) => {
        const { value } = event.target as HTMLInputElement;
        changeEdit(store, { backgroundColour: value }, `Colour where no picture is: ${value}.`);
      }}
    />Colour where no picture is</label
  >`;
}

function slider(
  { store }: Page,
  field: 'gapRatio' | 'cornerRadiusRatio' | 'cutOffsetSec',
  {
    label,
    least,
    most,
    step,
    say,
  }: { label: string; least: number; most: number; step: number; say: (value: number) => string },
) {
  const value = store.state.edit[field];
  return html`<label class="slider"
    ><span>${label}</span> <output>${say(value)}</output>
    <input
      type="range"
      name=${`look-${field}`}
      min=${least}
      max=${most}
      step=${step}
      aria-valuetext=${say(value)}
      .value=${String(value)}
      @change=${(event: Event) => {
        const chosen = Number((event.target as HTMLInputElement).value);
        changeEdit(store, { [field]: chosen }, `${label}: ${say(chosen)}.`);
      }}
    /></label>`;
}

function choices<Field extends 'aspect' | 'camera' | 'layout' | 'pace' | 'background'>(
  { store }: Page,
  field: Field,
  legend: string,
  values: readonly (readonly [Edit[Field], string])[],
  edit: Edit,
) {
  return html`<fieldset class="choices">
    <legend>${legend}</legend>
    ${values.map(
      ([value, label]) => html`<label
        ><input
          type="radio"
          name=${`look-${field}`}
          value=${value}
          .checked=${edit[field] === value}
          @change=${() => changeEdit(store, { [field]: value }, `${legend}: ${label}.`)}
        />${label}</label
      >`,
    )}
  </fieldset>`;
}
