import { html, type TemplateResult } from 'lit-html';

/** Drawn here, because not every system has a font with them. */
const paths = {
  play: 'M7 4v16l13-8z',
  pause: 'M6 4h4v16H6zM14 4h4v16h-4z',
  before: 'M5 4h3v16H5zM20 4v16L9 12z',
  next: 'M16 4h3v16h-3zM4 4v16l11-8z',
  close: 'M6.4 5 12 10.6 17.6 5 19 6.4 13.4 12 19 17.6 17.6 19 12 13.4 6.4 19 5 17.6 10.6 12 5 6.4z',
  pen: 'M4 16.5V20h3.5L18 9.5 14.5 6zM20 7.5l-3.5-3.5-1 1L19 8.5z',
} as const;

/** A picture on a button; the button's label says what it means. */
export const icon = (name: keyof typeof paths): TemplateResult => html`<svg
  class="glyph"
  viewBox="0 0 24 24"
  aria-hidden="true"
  focusable="false"
>
  <path d=${paths[name]}></path>
</svg>`;
