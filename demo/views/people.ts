import { html } from 'lit-html';
import type { Page } from '../page.js';

/** Whether faces of one person are to be known again over cuts, which roles and captions then go by. */
export function peopleSwitch({ store, session }: Page) {
  const { wantsPeople, peopleHere, analysis } = store.state;
  const isMissing = peopleHere === false;
  const isBusy = analysis.status === 'running' || analysis.status === 'paused';
  return html`<label class="switch">
      <input
        id="wants-people"
        type="checkbox"
        role="switch"
        aria-describedby="people-note"
        .checked=${wantsPeople && !isMissing}
        ?disabled=${isMissing || isBusy}
        @change=${(event: Event) => session.wantPeople((event.target as HTMLInputElement).checked)}
      />Know people again after cuts
    </label>
    <p id="people-note" class="quiet-text">${isMissing ? missing : note}</p>`;
}

const note =
  'A role then holds for a person in all scenes. Looks at the video again; what faces look like never leaves memory.';

const missing = html`It needs a network (6.5 MB) that is not beside this page. Whoever runs the page gets it with
  <code>npm run models -- --add identities</code> and puts <code>dlib-face-recognition.onnx</code> from
  <code>models/cache</code> into the page’s <code>models</code> folder.`;
