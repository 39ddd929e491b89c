/** Draws answers and passages. Text of documents and models only ever becomes text nodes; there is no innerHTML here. */

export function element(tag, { text, ...attributes } = {}, children = []) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) node.setAttribute(name, value === true ? '' : value);
  }
  if (text !== undefined) node.textContent = text;
  node.append(...children);
  return node;
}

/**
 * The finished answer: each sentence with what supports it, each citation a button. `sentences` are the evidence of the answer in order;
 * text between them stays as it is. `open(n, quote, button)` is called when a citation is pressed.
 */
export function drawAnswer({ answer, evidence, citations, invalid_citations }, open) {
  const known = new Set(citations);
  const invalid = new Set(invalid_citations);
  const out = document.createDocumentFragment();
  let from = 0;
  for (const sentence of evidence) {
    // What stands before a sentence may be the marker of a list.
    out.append(...inline(answer.slice(from, sentence.start).replace(/(^|\n)([ \t]*)[-*+] $/, '$1$2• ')));
    const text = answer.slice(sentence.start, sentence.end);
    const cite = (n) => {
      if (invalid.has(n) && !known.has(n)) return invalidCitation(n);
      const quote = sentence.citations.find((item) => item.n === n)?.quote ?? null;
      return citation(n, quote, open);
    };
    const support = supportOf(sentence);
    const span = element(
      'span',
      { class: `sentence ${support.kind}` },
      inline(text, cite, new Set([...known, ...invalid])),
    );
    out.append(span);
    if (support.word !== '') out.append(element('span', { class: `flag ${support.kind}`, text: support.word }));
    from = sentence.end;
  }
  out.append(...inline(answer.slice(from)));
  return out;
}

function supportOf({ citations }) {
  if (citations.length === 0) return { kind: 'uncited', word: 'cites nothing' };
  if (citations.every(({ quote }) => quote === null)) return { kind: 'unsupported', word: 'not found in its passage' };
  return { kind: 'supported', word: '' };
}

// Code stays code, and a number in brackets inside it is no citation.
const INLINE = /```[^\n]*\n([\s\S]*?)(?:```|$)|`([^`\n]+)`|\[(\s*\d+(?:\s*[-–,;]\s*\d+)*\s*)\]/g;

/** Nodes of a text: code, citations of `numbers` as `cite` draws them, the rest as it is. */
function inline(text, cite, numbers = new Set()) {
  const nodes = [];
  let from = 0;
  for (const match of text.matchAll(INLINE)) {
    const [whole, block, code, list] = match;
    const cited = list === undefined ? [] : listed(list);
    if (list !== undefined && (cite === undefined || !cited.every((n) => numbers.has(n)))) continue;
    nodes.push(text.slice(from, match.index));
    if (block !== undefined) nodes.push(element('code', { class: 'block', text: block }));
    else if (code !== undefined) nodes.push(element('code', { text: code }));
    else nodes.push(...cited.map(cite));
    from = match.index + whole.length;
  }
  nodes.push(text.slice(from));
  return nodes;
}

/** `1, 3-5` -> 1 3 4 5; a range that is none gives its ends. */
function listed(list) {
  return list.split(/[,;]/).flatMap((piece) => {
    const [from, to = from] = piece.split(/[-–]/).map(Number);
    if (to < from || to - from > 50) return [from, to];
    return Array.from({ length: to - from + 1 }, (_, index) => from + index);
  });
}

function citation(n, quote, open) {
  const label = quote === null ? `Source ${n}, no sentence in it found that says this` : `Source ${n}`;
  const button = element('button', { type: 'button', class: 'cite', 'aria-label': label, text: `[${n}]` });
  button.addEventListener('click', () => open(n, quote, button));
  return button;
}

function invalidCitation(n) {
  return element('span', { class: 'cite invalid' }, [
    `[${n}]`,
    element('span', { class: 'sr', text: ' no such source' }),
  ]);
}

/** One passage, folded; `n` is null for one that was not given to the model. */
export function drawPassage(passage, n) {
  const heading = passage.heading.join(' › ');
  const summary = element('summary', {}, [
    ...(n === null ? [] : [element('span', { class: 'n', text: `[${n}] ` })]),
    element('span', { class: 'source', text: passage.source }),
    ...(heading === '' ? [] : [element('span', { class: 'dim', text: ` › ${heading}` })]),
    ...(placeOf(passage) === '' ? [] : [element('span', { class: 'dim', text: `, ${placeOf(passage)}` })]),
    ...(passage.used === false ? [element('span', { class: 'flag', text: 'did not fit' })] : []),
  ]);
  const text = element('div', { class: 'passage', dir: 'auto', text: passage.text });
  const back = element('button', { type: 'button', class: 'quiet back', hidden: true, text: 'Back to the answer' });
  return element('details', n === null ? {} : { id: `source-${n}` }, [summary, ...linkTo(passage), text, back]);
}

function placeOf({ page, line }) {
  if (page !== undefined) return `page ${page}`;
  return line === undefined ? '' : `line ${line}`;
}

/** Beside the text, not in the summary: a link within a button would be two things at one press. Never another scheme. */
function linkTo(passage) {
  if (!/^https?:\/\//i.test(passage.url ?? '')) return [];
  const text = `Open ${passage.source}${passage.page === undefined ? '' : ` at page ${passage.page}`}`;
  return [element('a', { class: 'open', href: passage.url, target: '_blank', rel: 'noopener noreferrer', text })];
}

/** Marks what the answer took from a passage; `current` is the quote of the citation that was pressed. */
export function markPassage(details, text, quotes, current) {
  const right = quotes
    .filter((quote) => quote.end > quote.start && text.slice(quote.start, quote.end) === quote.text)
    .sort((a, b) => a.start - b.start || a.end - b.end);
  const nodes = [];
  let from = 0;
  for (const quote of right) {
    if (quote.end <= from) continue;
    const start = Math.max(quote.start, from);
    const isCurrent = current !== null && quote.start === current.start && quote.end === current.end;
    nodes.push(text.slice(from, start));
    nodes.push(element('mark', { class: isCurrent ? 'current' : undefined, text: text.slice(start, quote.end) }));
    from = quote.end;
  }
  details.querySelector('.passage').replaceChildren(...nodes, text.slice(from));
}
