import { html, nothing } from 'lit-html';
import { layouts } from '../../src/index.js';
import { changeEdit } from '../edits.js';
import type { Page } from '../page.js';
import { aspects, type Edit } from '../state.js';
import { aspectWords, cutWords, layoutWords } from '../words.js';
import { choices, colour, onOff, type SliderLimits, slider } from './controls.js';

/** What holds for the whole clip: shape, camera, layout. */
export function lookView({ store }: Page) {
  const { edit } = store.state;
  const field = <Field extends keyof Edit>(name: Field, label: string) => ({
    name: `look-${name}`,
    label,
    value: edit[name],
    change: (value: Edit[Field], news: string) => changeEdit(store, { [name]: value }, news),
  });
  const range = (
    name: 'gapRatio' | 'cornerRadiusRatio' | 'cutOffsetSec',
    label: string,
    limits: SliderLimits,
  ) => slider({ ...field(name, label), ...limits });
  return html`<section class="card" aria-labelledby="look-title">
    <h2 id="look-title">Look</h2>
    ${choices({
      ...field('aspect', 'Shape'),
      values: aspects.map(value => [value, `${value} ${aspectWords[value]}`] as const),
    })}
    ${choices({
      ...field('camera', 'Camera'),
      values: [
        ['lock', 'Still, cuts to the next speaker'],
        ['follow', 'Glides along'],
        ['center', 'Always the middle'],
      ],
    })}
    ${choices({
      ...field('layout', 'Layout'),
      values: [['auto', 'Automatic'], ...layouts.map(value => [value, layoutWords[value]] as const)],
    })}
    ${choices({
      ...field('pace', 'Pace'),
      values: [
        ['calm', 'Calm, long views'],
        ['standard', 'As people speak'],
        ['lively', 'Lively'],
      ],
    })}
    ${choices({
      ...field('background', 'Where no picture is'),
      values: [
        ['blur', 'Blurred'],
        ['black', 'Black'],
        ['gradient', 'Colours of the edges'],
        ['colour', 'One colour'],
      ],
    })}
    ${edit.background === 'colour' ? colour(field('backgroundColour', 'Colour where no picture is')) : nothing}
    <details id="look-more">
      <summary>Panels and cuts</summary>
      <div class="sliders">
        ${range('gapRatio', 'Gap between panels', { least: 0, most: 0.1, step: 0.005, say: widthWords })}
        ${range('cornerRadiusRatio', 'Round corners', { least: 0, most: 0.5, step: 0.01, say: widthWords })}
        ${range('cutOffsetSec', 'Changes of speaker', { least: -0.3, most: 0.3, step: 0.05, say: cutWords })}
        ${onOff({ ...field('punchIn', 'Move in slowly on long turns'), off: 'Does not move in.' })}
      </div>
    </details>
  </section>`;
}

/** A share of the clip's width. */
const widthWords = (ratio: number) => (ratio ? `${(100 * ratio).toFixed(1)} % of the width` : 'none');
