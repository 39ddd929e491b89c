/** The page in a real browser against the real service. Needs Chromium. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import {
  complaintsOf,
  findChromium,
  launchChromium,
  NO_CHROMIUM,
  seriousViolations,
} from '../../scripts/testing/browser.ts';
import { loadConfig } from '../config.ts';
import { silentLogger } from '../log.ts';
import { indexPaths } from '../search/ingest/index.ts';
import { type Service, startService } from '../serve.ts';
import { answers, chunkText, type LlmStandIn, llmStandIn, raw, type Script } from '../testing/llm-stand-in.ts';
import { standInService } from '../testing/service.ts';

const ATTACK = `"'><img src=x onerror="window.pwned=1"><script>window.pwned=1</script><svg onload=window.pwned=1></details>`;
const QUESTION = 'What is the default of bodyLimit?';

const path = findChromium();
let browser: Browser | undefined;
let opened: Page[] = [];
let closing: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  if (path !== null) browser = await launchChromium(path);
});
afterEach(async () => {
  await Promise.all(opened.map((page) => page.context().close()));
  for (const close of closing.reverse()) await close();
  [opened, closing] = [[], []];
});
afterAll(() => browser?.close());

const browserTest = (name: string, run: () => Promise<void>) =>
  test(name, async (context) => {
    if (path === null) context.skip(NO_CHROMIUM);
    await run();
  });

async function open(url: string, options: BrowserContextOptions = {}): Promise<{ page: Page; complaints: string[] }> {
  const context = await browser!.newContext(options);
  const page = await context.newPage();
  opened.push(page);
  const complaints = complaintsOf(page);
  await page.goto(url);
  return { page, complaints };
}

/** The service with the extractive provider over an index of a few files, one of them hostile in name and text. */
async function realService(): Promise<Service> {
  const dir = mkdtempSync(join(tmpdir(), 'askdocs-page-'));
  closing.push(async () => rmSync(dir, { recursive: true, force: true }));
  const docs = join(dir, 'docs');
  mkdirSync(docs);
  writeFileSync(
    join(docs, 'server.md'),
    '# Server\n\n## bodyLimit\n\nThe default of bodyLimit is 1048576 bytes, which is 1 MiB.\n',
  );
  writeFileSync(
    join(docs, 'logging.md'),
    '# Logging\n\nLogging is off by default. Pass `logger: true` to turn it on.\n',
  );
  const name = `a${ATTACK.replaceAll('/', '')}.md`;
  writeFileSync(
    join(docs, name),
    `# Zebras ${ATTACK}\n\nA zebra eats grass all day. ${ATTACK} Zebras sleep standing up.\n`,
  );
  const db = join(dir, 'docs.db');
  await indexPaths({ roots: [docs], db, baseUrl: 'https://docs.example/v1' });
  const service = await startService(loadConfig({ ASKDOCS_PORT: '0', ASKDOCS_MCP_DB: db }), { log: silentLogger });
  closing.push(() => service.close());
  return service;
}

/** The service with a scripted model over the stand-in retrieval server. */
async function modelService(
  script: Script,
  setup: { mode?: string; env?: Record<string, string> } = {},
): Promise<{ url: string; llm: LlmStandIn }> {
  const llm = await llmStandIn(script);
  closing.push(() => llm.close());
  const service = await standInService({
    mode: setup.mode ?? 'typed',
    env: {
      ASKDOCS_LLM_PROVIDER: 'llamacpp',
      ASKDOCS_LLM_BASE_URL: llm.url,
      ASKDOCS_LLM_MAX_RETRIES: '0',
      ...setup.env,
    },
  });
  closing.push(() => service.close());
  return { url: service.url, llm };
}

async function ask(page: Page, question: string): Promise<void> {
  await page.getByLabel('Ask the documents').fill(question);
  await page.keyboard.press('Enter');
}

const status = (page: Page, text: string) => page.locator('#status', { hasText: text }).waitFor();

browserTest('asks by keyboard, streams, and leads from a citation to the quote and back', async () => {
  const { page, complaints } = await open((await realService()).url);
  expect(await page.evaluate('document.activeElement.id')).toBe('question');
  await ask(page, QUESTION);
  await status(page, 'Answered.');
  const cite = page.locator('#answer button.cite').first();
  expect(await page.locator('#answer').textContent()).toContain('1048576 bytes');
  await cite.focus();
  await page.keyboard.press('Enter');
  const details = page.locator('#source-1');
  expect(await details.getAttribute('open')).not.toBeNull();
  expect(await details.locator('mark.current').textContent()).toContain('1048576 bytes');
  expect(await page.evaluate('document.activeElement.parentElement.id')).toBe('source-1');
  expect(await details.locator('summary').textContent()).toMatch(/server\.md › .*, line 1$/);
  const link = details.getByRole('link', { name: 'Open server.md' });
  expect(await link.getAttribute('href')).toBe('https://docs.example/v1/server.md');
  await details.getByRole('button', { name: 'Back to the answer' }).click();
  expect(await cite.evaluate((button) => button === button.ownerDocument.activeElement)).toBe(true);
  expect(await page.locator('#facts').textContent()).toMatch(/in all, search \d+.*Trace [0-9a-f]{32}/);
  expect(complaints).toEqual([]);
});

browserTest('shows a hostile document as text, and runs nothing of it', async () => {
  const { page, complaints } = await open((await realService()).url);
  await ask(page, 'What does a zebra eat all day?');
  await status(page, 'Answered.');
  await page.locator('#answer button.cite').first().click();
  expect(await page.locator('#sources').textContent()).toContain('<script>window.pwned=1</script>');
  await ask(page, `Is it ${ATTACK} what a zebra eats?`);
  await page.waitForTimeout(300);
  expect(await page.locator('#asked').textContent()).toContain('<img src=x');
  expect(await page.evaluate('window.pwned')).toBeUndefined();
  expect(await page.locator('img, #result script, #result svg').count()).toBe(0);
  expect(complaints).toEqual([]);
});

browserTest('a refusal by the gate says so and shows what was nearest', async () => {
  const { url } = await modelService(answers(['never']), { mode: 'gated' });
  const { page } = await open(url);
  await ask(page, 'Will it rain in Lisbon?');
  await page.getByText('Nothing in the documents about this.').waitFor();
  expect(await page.locator('#sources-title').textContent()).toBe('Nearest passages');
  expect(await page.locator('#sources details').count()).toBeGreaterThan(0);
});

browserTest('a refusal by the model is told apart', async () => {
  const { url } = await modelService(answers(['I cannot answer this from the documents.']));
  const { page } = await open(url);
  await ask(page, QUESTION);
  await page.getByText('The documents do not answer this.').waitFor();
  expect(await page.locator('#sources details').count()).toBe(3);
});

browserTest('marks what is not supported, what cites nothing and what cites no source', async () => {
  const { url } = await modelService(
    answers([
      `The default is 1048576 bytes, which is 1 MiB. [1] Penguins swim very fast in cold water. [2] `,
      `It is so. [9] Use \`arr[1]\`. ${ATTACK}`,
    ]),
  );
  const { page, complaints } = await open(url);
  await ask(page, QUESTION);
  await status(page, 'Answered.');
  expect(await page.locator('.sentence.supported').first().textContent()).toContain('1048576');
  expect(await page.locator('.sentence.unsupported').textContent()).toContain('Penguins');
  expect(await page.locator('.flag.unsupported').textContent()).toBe('not found in its passage');
  expect(await page.locator('.flag.uncited').first().textContent()).toBe('cites nothing');
  expect(await page.locator('.cite.invalid').textContent()).toContain('no such source');
  expect(await page.locator('#notes').textContent()).toContain('It cites [9], which no source has.');
  expect(await page.locator('#answer code').first().textContent()).toBe('arr[1]');
  expect(await page.locator('#answer').textContent()).toContain('<img src=x');
  expect(await page.evaluate('window.pwned')).toBeUndefined();
  expect(complaints).toEqual([]);
});

browserTest('the stop button stops the model and keeps what had arrived', async () => {
  const { url, llm } = await modelService(raw([chunkText('The beginning ')], 'hang'));
  const { page } = await open(url);
  await ask(page, QUESTION);
  await page.getByText('The beginning').waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await status(page, 'Stopped. The answer above is not whole.');
  await expect.poll(() => llm.open(), { timeout: 2000 }).toBe(0);
  expect(await page.locator('#answer').textContent()).toBe('The beginning ');
  expect(await page.getByRole('button', { name: 'Ask', exact: true }).isVisible()).toBe(true);
});

browserTest('an error shows what it was and the part received; asking again works', async () => {
  let times = 0;
  const { url } = await modelService(async (res, seen) => {
    times += 1;
    await (times === 1 ? raw([chunkText('Half of it ')], 'cut') : answers(['The default is 1048576 bytes. [1]']))(
      res,
      seen,
    );
  });
  const { page } = await open(url);
  await ask(page, QUESTION);
  await page.getByText('It failed in generation.').waitFor();
  expect(await page.locator('#problem').textContent()).toContain('What had arrived until then stands below');
  expect(await page.locator('#answer').textContent()).toBe('Half of it ');
  await page.getByRole('button', { name: 'Ask again' }).click();
  await status(page, 'Answered.');
  expect(await page.locator('#problem').textContent()).toBe('');
});

browserTest('a busy service says when to try again, one that is gone that it cannot be reached', async () => {
  const { url } = await modelService(raw([chunkText('slow ')], 'hang'), { env: { ASKDOCS_MAX_CONCURRENT: '1' } });
  const first = await open(url);
  await ask(first.page, QUESTION);
  await first.page.getByText('slow').waitFor();
  const { page } = await open(url);
  await ask(page, QUESTION);
  await page.getByText(/Try again in \d+ s\./).waitFor();
  await first.page.getByRole('button', { name: 'Stop' }).click();
  await page.route('**/ask', (route) => route.abort());
  await page.getByRole('button', { name: 'Ask again' }).click();
  await page.getByText('The service cannot be reached.').waitFor();
});

browserTest('asks for the key that the service wants, and keeps it for the tab', async () => {
  const { url } = await modelService(answers(['The default is 1048576 bytes. [1]']), {
    env: { ASKDOCS_API_KEYS: 'a-secret-key' },
  });
  const { page } = await open(url);
  await ask(page, QUESTION);
  await page.getByLabel('This service asks for a key').fill('a-wrong-key');
  await page.keyboard.press('Enter');
  await status(page, 'The key is not one of this service.');
  await page.getByLabel('This service asks for a key').fill('a-secret-key');
  await page.keyboard.press('Enter');
  await status(page, 'Answered.');
  await page.reload();
  await status(page, 'Answered.');
});

browserTest('a link repeats the question, and going back leads to the one before', async () => {
  const { url } = await modelService(answers(['The default is 1048576 bytes. [1]']));
  const { page } = await open(url);
  await ask(page, `${QUESTION} & more?`);
  await status(page, 'Answered.');
  const link = (await page.getByRole('link', { name: 'Link to this question' }).getAttribute('href')) ?? '';
  const other = await open(`${url}/${link}`);
  await status(other.page, 'Answered.');
  expect(await other.page.locator('#asked').textContent()).toBe(`${QUESTION} & more?`);
  await ask(page, 'And then?');
  await page.locator('#asked', { hasText: 'And then?' }).waitFor();
  await page.goBack();
  await page.locator('#asked', { hasText: '& more?' }).waitFor();
  await page.goBack();
  await page.locator('#result').waitFor({ state: 'hidden' });
});

browserTest(
  'nothing serious for axe, and nothing wider than the screen: light and dark, desktop and phone',
  async () => {
    const { url } = await modelService(
      answers([
        'The default is 1048576 bytes, which is 1 MiB. [1] Penguins swim very fast in cold water. [2] It is so. [9] ',
        `\`${'x'.repeat(300)}\``,
      ]),
    );
    for (const [colorScheme, width] of [
      ['light', 1280],
      ['dark', 390],
      ['dark', 1280],
      ['light', 390],
    ] as const) {
      const { page } = await open(url, { colorScheme, viewport: { width, height: 844 } });
      expect(await seriousViolations(page)).toEqual([]);
      await ask(page, QUESTION);
      await status(page, 'Answered.');
      await page.locator('button.cite').first().click();
      expect(await seriousViolations(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    }
  },
);
