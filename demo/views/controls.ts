import { html } from 'lit-html';

type Control<Value> = {
  /** Of the field in the page, for tests and for the browser. */
  readonly name: string;
  readonly label: string;
  readonly value: Value;
  /** Told of a decision, with what was decided as a person would say it. */
  readonly change: (value: Value, news: string) => void;
};

/** One of several, all in sight. */
export function choices<Value extends string>({
  name,
  label,
  value,
  values,
  change,
}: Control<Value> & { readonly values: readonly (readonly [Value, string])[] }) {
  return html`<fieldset class="choices">
    <legend>${label}</legend>
    ${values.map(
      ([own, words]) => html`<label
        ><input
          type="radio"
          name=${name}
          value=${own}
          .checked=${own === value}
          @change=${() => change(own, `${label}: ${words}.`)}
        />${words}</label
      >`,
    )}
  </fieldset>`;
}

export type SliderLimits = {
  readonly least: number;
  readonly most: number;
  readonly step: number;
  readonly say: (value: number) => string;
};

export function slider({
  name,
  label,
  value,
  least,
  most,
  step,
  say,
  change,
}: Control<number> & SliderLimits) {
  return html`<label class="slider"
    ><span>${label}</span> <output>${say(value)}</output>
    <input
      type="range"
      name=${name}
      min=${least}
      max=${most}
      step=${step}
      aria-valuetext=${say(value)}
      .value=${String(value)}
      @change=${(event: Event) => {
        const chosen = Number((event.target as HTMLInputElement).value);
        change(chosen, `${label}: ${say(chosen)}.`);
      }}
    /></label>`;
}

export function colour({ name, label, value, change }: Control<string>) {
  return html`<label class="switch"
    ><input
      type="color"
      name=${name}
      .value=${value}
      @change=${(event: Event) => {
        const chosen = (event.target as HTMLInputElement).value;
        change(chosen, `${label}: ${chosen}.`);
      }}
    />${label}</label
  >`;
}

/** @param off - What is said of the choice that is not made. */
export function onOff({ name, label, value, off, change }: Control<boolean> & { readonly off: string }) {
  return html`<label class="switch"
    ><input
      type="checkbox"
      name=${name}
      .checked=${value}
      @change=${(event: Event) => {
        const { checked } = event.target as HTMLInputElement;
        change(checked, checked ? `${label}.` : off);
      }}
    />${label}</label
  >`;
}
