/** The finished answer and the passages behind it, in their places on the page. */
import { drawAnswer, drawPassage, element, markPassage } from './view.js';

const $ = (id) => document.getElementById(id);

export function showSources(sources) {
  $('sources').replaceChildren(...sources.map((source) => element('li', {}, [drawPassage(source, source.n)])));
  if (sources.length > 0) titleSources('Passages', 'What the answer is made from. Marked: what it took.');
}

export function showDone(done, sources) {
  const byNumber = new Map(sources.map((source) => [source.n, source]));
  const quotesOf = (n) =>
    done.evidence
      .flatMap((item) => item.citations)
      .flatMap((item) => (item.n === n && item.quote !== null ? [item.quote] : []));
  const open = (n, quote, button) => openSource(byNumber.get(n), quotesOf(n), quote, button);
  const notes = [];
  if (done.refused) {
    $('answer').replaceChildren();
    notes.push(...refusal(done, sources));
  } else $('answer').replaceChildren(drawAnswer(done, open));
  if (done.invalid_citations.length > 0) {
    notes.push(note(`It cites ${done.invalid_citations.map((n) => `[${n}]`).join(' ')}, which no source has.`));
  }
  if (done.truncated) notes.push(note('The answer was cut off: it reached the longest the service allows.'));
  $('notes').replaceChildren(...notes);
  for (const source of sources) markPassage($(`source-${source.n}`), source.text, quotesOf(source.n), null);
  $('facts').textContent = factsOf(done);
}

/** Why there is no answer, and what was nearest. */
function refusal(done, sources) {
  if (done.refusal === 'gate') {
    const nearest = done.nearest.map((passage) => element('li', {}, [drawPassage(passage, null)]));
    if (nearest.length > 0) {
      $('sources').replaceChildren(...nearest);
      titleSources('Nearest passages', 'Too far from the question to answer from; no model was asked.');
    }
    return [element('p', { class: 'refusal', text: 'Nothing in the documents about this.' })];
  }
  const looked = `${sources.length} ${sources.length === 1 ? 'passage was' : 'passages were'} found, but none says it.`;
  return [
    element('p', { class: 'refusal', text: 'The documents do not answer this.' }),
    element('p', { text: looked }),
  ];
}

function note(text) {
  return element('p', { class: 'note', text });
}

function factsOf({ timings, usage, cost_usd, trace_id }) {
  const seconds = (ms) => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`);
  const facts = [`${seconds(timings.total_ms)} in all`, `search ${seconds(timings.retrieval_ms)}`];
  if (timings.ttft_ms !== null) facts.push(`first words after ${seconds(timings.ttft_ms)}`);
  if (usage !== null && usage.prompt_tokens > 0)
    facts.push(`${usage.prompt_tokens} + ${usage.completion_tokens} tokens`);
  if (cost_usd !== null && cost_usd > 0) facts.push(`${cost_usd.toFixed(4)} USD`);
  return `${facts.join(', ')}. Trace ${trace_id}.`;
}

function titleSources(title, text) {
  $('sources-title').textContent = title;
  $('sources-note').textContent = text;
  $('sources-part').hidden = false;
}

/** Unfolds the passage, marks the quote and goes there; its button leads back to the citation. */
function openSource(source, quotes, quote, button) {
  const details = $(`source-${source.n}`);
  markPassage(details, source.text, quotes, quote);
  details.open = true;
  details.querySelector('summary').focus({ preventScroll: true });
  (details.querySelector('mark.current') ?? details).scrollIntoView({ block: 'center' });
  const back = details.querySelector('.back');
  back.hidden = false;
  back.onclick = () => {
    button.focus();
    button.scrollIntoView({ block: 'center' });
  };
}
