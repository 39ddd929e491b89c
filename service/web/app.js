/** The page: a question, the answer as it streams, and the passages behind it. */
import { ask } from './ask.js';
import { showDone, showSources } from './result.js';
import { element } from './view.js';

const $ = (id) => document.getElementById(id);
const field = $('question');
let running = null;
let last = '';

$('form').addEventListener('submit', (event) => {
  event.preventDefault();
  const question = field.value.trim();
  if (question === '') return;
  const address = `#q=${encodeURIComponent(question)}`;
  if (location.hash !== address) history.pushState(null, '', address);
  run(question);
});
field.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  if (running === null) $('form').requestSubmit();
});
$('stop').addEventListener('click', () => running?.abort());
$('key-form').addEventListener('submit', (event) => {
  event.preventDefault();
  sessionStorage.setItem('askdocs-key', $('key').value.trim());
  $('key-form').hidden = true;
  run(last);
});
addEventListener('popstate', follow);
describeService();
follow();

/** The question stands behind `#`, which browsers send to nobody: it is in no server's log. */
function follow() {
  const question = new URLSearchParams(location.hash.slice(1)).get('q') ?? '';
  field.value = question.slice(0, field.maxLength);
  if (question.trim() !== '') run(field.value.trim());
  else if (last !== '') leave();
}

/** Back at the page without a question. */
function leave() {
  running?.abort();
  running = null;
  setBusy(false);
  setStatus('');
  $('result').hidden = true;
}

async function run(question) {
  running?.abort();
  const own = new AbortController();
  running = own;
  last = question;
  const answer = begin(question);
  try {
    const key = sessionStorage.getItem('askdocs-key') ?? '';
    for await (const event of ask(question, { key, signal: own.signal })) {
      if (running === own) answer[event.event]?.(event.data);
    }
  } catch (error) {
    if (running === own) answer.failed(error, own.signal.aborted);
  }
  if (running === own) {
    running = null;
    setBusy(false);
  }
}

/** Clears the page for a question; the functions returned take the events of its answer. */
function begin(question) {
  setBusy(true);
  document.title = `${question.slice(0, 60)} · askdocs`;
  $('asked').textContent = question;
  for (const id of ['problem', 'answer', 'notes', 'facts', 'sources']) $(id).replaceChildren();
  $('key-form').hidden = true;
  $('sources-part').hidden = true;
  $('result').hidden = false;
  $('link').href = `#q=${encodeURIComponent(question)}`;
  setStatus('Searching the documents…');
  let sources = [];
  let text = '';
  return {
    sources(data) {
      sources = data.sources;
      showSources(sources);
      setStatus('Writing the answer…');
    },
    token(data) {
      text += data.text;
      $('answer').append(data.text);
    },
    done(data) {
      showDone(data, sources);
      setStatus(data.refused ? 'No answer.' : 'Answered.');
    },
    error(data) {
      showProblem(data.message, `It failed in ${data.stage}. Trace ${data.trace_id}.`, text !== '');
    },
    failed(error, stopped) {
      if (stopped) setStatus(text === '' ? 'Stopped.' : 'Stopped. The answer above is not whole.');
      else if (error.status === 401) askForKey(error.message);
      else if (error.code === 'busy') showProblem(error.message, `Try again in ${error.retryAfter || 1} s.`, false);
      else showProblem(error.message ?? String(error), '', text !== '');
    },
  };
}

function showProblem(message, more, partial) {
  const again = element('button', { type: 'button', class: 'quiet', text: 'Ask again' });
  again.addEventListener('click', () => run(last));
  const parts = [element('strong', { text: message })];
  if (more !== '') parts.push(element('span', { class: 'dim', text: more }));
  if (partial)
    parts.push(
      element('span', { text: 'What had arrived until then stands below; it is not whole and was not checked.' }),
    );
  $('problem').replaceChildren(...parts, again);
  setStatus('');
}

function askForKey(message) {
  sessionStorage.removeItem('askdocs-key');
  $('result').hidden = true;
  $('key-form').hidden = false;
  $('key').value = '';
  $('key').focus();
  setStatus(message);
}

function setBusy(busy) {
  $('stop').hidden = !busy;
  $('send').hidden = busy;
  $('answer').setAttribute('aria-busy', String(busy));
  document.body.classList.toggle('busy', busy);
}

function setStatus(text) {
  $('status').textContent = text;
}

/** What answers here, and what works less well than it could. */
async function describeService() {
  const health = await fetch('healthz').then(
    (response) => response.json(),
    () => null,
  );
  if (health === null) return;
  const model = health.provider === health.model ? health.provider : `${health.provider}, ${health.model}`;
  const search = health.search === 'unknown' ? '' : `, ${health.search} search`;
  $('service').textContent = [`${model}${search}.`, ...(health.notes ?? [])].join(' ');
}
