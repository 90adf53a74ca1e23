import { html, svg, type TemplateResult } from 'lit-html';

/** Head and shoulders, seen from the front. */
const person = (x: number, kind: string): TemplateResult => svg`
  <g class=${kind} transform="translate(${x} 0)">
    <circle cx="0" cy="46" r="13"></circle>
    <path d="M-25 102c0-22 10-35 25-35s25 13 25 35z"></path>
  </g>`;

/** What the page does, as a drawing: of two people the window follows the one who speaks. */
export const drawing = (): TemplateResult => html`<svg
  class="drawing"
  viewBox="0 0 286 110"
  aria-hidden="true"
  focusable="false"
>
  <rect class="screen" x="1" y="7" width="170" height="96" rx="6"></rect>
  ${person(46, 'one')} ${person(126, 'two')}
  <rect class="cut" x="19" y="5" width="54" height="100" rx="5"></rect>
  <path class="arrow" d="M188 55h26m-9-9 9 9-9 9"></path>
  <rect class="screen" x="231" y="7" width="54" height="96" rx="6"></rect>
  ${person(258, 'one shown')} ${person(258, 'two shown')}
</svg>`;
