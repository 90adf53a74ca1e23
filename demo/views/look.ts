import { html } from 'lit-html';
import { layouts } from '../../src/index.js';
import { changeEdit } from '../edits.js';
import type { Page } from '../page.js';
import { aspects, type Edit } from '../state.js';
import { aspectWords, layoutWords } from '../words.js';

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
      ],
      edit,
    )}
  </section>`;
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
