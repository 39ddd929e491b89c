import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { pairCases } from './html/compare.ts';
import { plainSentences } from './html/headline.ts';
import { plot } from './html/metrics.ts';
import { markQuotes } from './html/passages.ts';
import { escapeHtml, html, trusted } from './html/tag.ts';
import { viewRun } from './html/view.ts';
import { renderHtml } from './html.ts';
import { ATTACK, type Loaded, loadBase, loadChanged } from './testing/runs.ts';

let loaded: Promise<{ base: Loaded; changed: Loaded; page: string; both: string }> | undefined;

/** Once for all tests here: the records are in memory, so the folder they came from may go with the first test. */
function runs() {
  loaded ??= Promise.all([loadBase(), loadChanged()]).then(([base, changed]) => ({
    base,
    changed,
    page: renderHtml(base.run, base.summary),
    both: renderHtml(changed.run, changed.summary, base, { name: 'new' }),
  }));
  return loaded;
}

/** The part of the page that is one case. */
const caseOf = (page: string, id: string) =>
  page.split('<details class="case"').find((part) => part.includes(`id="case-${id}"`)) ?? '';

describe('the tag html', () => {
  it('escapes what is put in, and only that', () => {
    expect(html`<p title="${'"'}">${'<b>'}${html`<i>${1}</i>`}${[html`<u>`, '&']}${null}${false}</p>`.text).toBe(
      '<p title="&quot;">&lt;b&gt;<i>1</i><u>&amp;</p>',
    );
    expect(html`${trusted('<b>')}`.text).toBe('<b>');
  });

  it('leaves nothing a browser takes for markup, and shows control characters', () => {
    expect(escapeHtml(ATTACK)).not.toMatch(/[<>"'`]/);
    expect(escapeHtml('a\0b\x1bc\n\td')).toBe('a\uFFFDb\uFFFDc\n\td');
  });
});

describe('the file', () => {
  it('loads nothing, and its policy allows its own style and script alone', async () => {
    const { page } = await runs();
    expect(page).not.toMatch(/(?:src|href)="(?!#)/);
    expect(page).not.toMatch(/url\(|@import|\sstyle=/);
    for (const [tag, directive] of [
      ['style', 'style-src'],
      ['script', 'script-src'],
    ] as const) {
      const inner = [...page.matchAll(new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`, 'g'))].map((match) => match[1] ?? '');
      expect(inner).toHaveLength(1);
      const digest = createHash('sha256')
        .update(inner[0] ?? '')
        .digest('base64');
      expect(page).toContain(`${directive} 'sha256-${digest}'`);
    }
    expect(page).toContain("default-src 'none'");
  });

  it('holds no markup of documents, questions, models or labels', async () => {
    const { page, both } = await runs();
    for (const text of [page, both]) {
      expect(text).not.toContain('<img');
      expect(text).not.toContain('<!--');
      expect(text.match(/<svg[^>]*onload/)).toBeNull();
      expect(text.match(/<script/g)).toHaveLength(1);
    }
    // It is there all the same, as text: question, label, note, answer, source, passage, error.
    expect(page.split('&lt;img src=x').length).toBeGreaterThan(8);
  });

  it('is the same for the same records', async () => {
    const { base, changed, page, both } = await runs();
    expect(renderHtml(base.run, base.summary)).toBe(page);
    expect(renderHtml(changed.run, changed.summary, base, { name: 'new' })).toBe(both);
  });
});

describe('a case', () => {
  it('shows sentences, citations, facts, quotes and verdicts', async () => {
    const { page } = await runs();
    const limit = caseOf(page, 'limit');
    expect(limit).toContain(
      '<span class="claim supported">The limit of a body is 1 MiB. <a class="cite" href="#c0-0-p1" aria-label="source 1">',
    );
    expect(limit).toContain('<span class="claim unsupported">Penguins live far in the south.');
    expect(limit).toContain('<span class="claim-tag unsupported">not supported</span>');
    expect(limit).toContain('[7]<span class="sr"> no such source</span>');
    expect(limit).toContain('cites [7], which no source has');
    expect(limit).toContain('<span class="tag good">stated</span> <span dir="auto">1 MiB</span>');
    expect(limit).toContain('<mark>The limit of a body is 1 MiB.</mark>');
    expect(limit).toContain('Judge lexical: ');
    expect(caseOf(page, 'logging')).toContain(
      '<span class="tag bad">missing</span> <span dir="auto">off by default</span>',
    );
  });

  it('tells a sentence that was not judged from one that is not supported', async () => {
    const { base } = await runs();
    const page = renderHtml({ ...base.run, verdicts: [] }, base.summary);
    expect(caseOf(page, 'limit')).toContain('<span class="claim-tag unjudged">not judged</span>');
    expect(caseOf(page, 'limit')).not.toContain('not supported');
    expect(caseOf(page, 'weather')).toContain('<span class="claim-tag uncited">cites nothing</span>');
  });

  it('does not take a passage that the model was not shown for one that supports', async () => {
    const { base } = await runs();
    const answers = base.run.answers.map((record) => ({
      ...record,
      sources: record.sources.map((source) => ({ ...source, used: source.n !== 2 })),
    }));
    const logging = caseOf(renderHtml({ ...base.run, answers }, base.summary), 'logging');
    expect(logging).toContain('[2]<span class="sr"> no such source</span>');
    expect(logging).toContain('did not fit');
  });

  it('has the flags that it is filtered by', async () => {
    const { page, both } = await runs();
    const flags = (text: string, id: string) => /data-flags="([^"]*)"/.exec(caseOf(text, id))?.[1]?.split(' ');
    expect(flags(page, 'limit')).toEqual(['answered', 'unsupported']);
    expect(flags(page, 'logging')).toEqual(expect.arrayContaining(['answered', 'wrong']));
    expect(flags(page, 'refused')).toEqual(['refused', 'wrong', 'wrong_refusal']);
    expect(flags(page, 'nothing')).toEqual(['correct_refusal', 'refused']);
    expect(flags(page, 'weather')).toEqual(expect.arrayContaining(['wrong', 'wrongly_answered', 'unsupported']));
    expect(flags(page, 'broken')).toEqual(['error', 'wrong']);
    expect(flags(both, 'limit')).toEqual(expect.arrayContaining(['changed', 'worse', 'wrong_refusal', 'answered']));
    expect(flags(both, 'logging')).toEqual(expect.arrayContaining(['better', 'changed']));
    expect(flags(both, 'weather')).not.toContain('changed');
  });

  it('says what failed and what came closest', async () => {
    const { page } = await runs();
    expect(caseOf(page, 'broken')).toContain('<strong>generation, timeout:</strong>');
    expect(caseOf(page, 'broken')).toContain('What had been received:');
    expect(caseOf(page, 'refused')).toContain('what came closest');
    expect(caseOf(page, 'nothing')).toContain('Should be refused.');
  });

  it('stands once when repetitions are alike, and says which are missing', async () => {
    const { base } = await runs();
    const again = base.run.answers.map((record) => ({ ...record, run: 2 }));
    const verdicts = base.run.verdicts.map((verdict) => ({ ...verdict, run: 2 }));
    const run = {
      ...base.run,
      manifest: { ...base.run.manifest, runs: 3 },
      answers: [...base.run.answers, ...again],
      verdicts: [...base.run.verdicts, ...verdicts],
    };
    const [first] = viewRun(run);
    expect(first?.answers.map((answer) => answer.runs)).toEqual([[1, 2]]);
    expect(first?.missing).toEqual([3]);
    expect(first?.flags).toContain('missing');
    expect(renderHtml(run, base.summary)).toContain('repetitions 1, 2 of 3');
  });
});

describe('two runs', () => {
  it('stand side by side where they differ, and once where they do not', async () => {
    const { both } = await runs();
    expect(caseOf(both, 'limit')).toContain('<div class="sides">');
    expect(caseOf(both, 'limit')).toContain('key-fact recall: 1.000 → 0.000');
    expect(caseOf(both, 'weather')).toContain('The same in both runs.');
    expect(both).toContain('changed: 1 better, 1 worse');
    expect(caseOf(both, 'logging')).toContain('<ins class="only"><span class="sr">only here: </span>Logging is on.');
    expect(caseOf(both, 'weather')).not.toContain('<ins');
  });

  it('tell a case that only one of them has', async () => {
    const { base, changed } = await runs();
    const pairs = pairCases(viewRun(base.run), viewRun(changed.run).slice(1));
    expect(pairs.at(-1)).toMatchObject({ change: 'only', current: undefined });
    expect(renderHtml({ ...changed.run, cases: changed.run.cases.slice(1) }, changed.summary, base)).toContain(
      'This run does not have the case.',
    );
  });
});

describe('the head', () => {
  it('puts the verdict of a gate first, escaped like everything else', async () => {
    const { base } = await runs();
    const verdict = {
      status: 'fail' as const,
      title: 'Regression <b>',
      details: [{ tag: { status: 'fail' as const, word: 'regression' }, text: 'key-fact recall fell' }],
    };
    const text = renderHtml(base.run, base.summary, undefined, { verdict });
    expect(text).toContain('<p class="verdict fail">Regression &lt;b&gt;</p>');
    expect(text.indexOf('key-fact recall fell')).toBeLessThan(text.indexOf('<main>'));
  });

  it('says in sentences what was measured, and that nothing was', async () => {
    const { base } = await runs();
    expect(plainSentences(base.summary)[0]).toMatch(/^Right to answer or to refuse in 50% of 6 cases \(95% interval /);
    expect(plainSentences(base.summary).at(-1)).toBe('1 request failed.');
    expect(plainSentences({ ...base.summary, metrics: [], refusals: {} })).toEqual([
      'Nothing was measured: no case has an answer yet.',
    ]);
  });
});

describe('drawing and marking', () => {
  it('draws dot and interval where the values are, and nothing without a value', () => {
    const drawn = plot({ value: 0.5, low: 0.25, high: 0.755, n: 9 }, null).text;
    expect(drawn).toContain('cx="50%"');
    expect(drawn).toContain('x1="25%" x2="75.5%"');
    expect(plot({ value: null, low: null, high: null, n: 0 }, null).text).not.toContain('<circle');
  });

  it('marks quotes that overlap once, and none that is not where it says', () => {
    const quote = (start: number, end: number, text: string) => ({ start, end, text, score: 1 });
    expect(markQuotes('a<b>cdef', [quote(4, 7, 'cde'), quote(1, 5, '<b>c'), quote(0, 1, 'x')]).text).toBe(
      'a<mark>&lt;b&gt;c</mark><mark>de</mark>f',
    );
  });
});
