/** Passages by id, as the contract shapes them. */
import type { Passage } from '../contract.ts';
import type { Db } from './db.ts';
import type { Fused } from './fusion.ts';

interface Row {
  source: string;
  title: string;
  heading: string;
  start: number;
  end: number;
  text: string;
}

/** At most `k` passages in the given order, the same text once only. */
export function loadPassages(db: Db, found: readonly Fused[], k: number): Passage[] {
  const select = db.prepare(
    'SELECT f.source, f.title, p.heading, p.start, p."end", p.text FROM passages p JOIN files f ON f.id = p.file_id WHERE p.id = ?',
  );
  const seen = new Set<string>();
  const passages: Passage[] = [];
  for (const { id, cosine, bm25, fusion } of found) {
    if (passages.length === k) break;
    const row = select.get(id) as Row | undefined;
    const text = row?.text.replace(/\s+/g, ' ').trim() ?? '';
    if (row === undefined || seen.has(text)) continue;
    seen.add(text);
    passages.push({ ...row, heading: JSON.parse(row.heading) as string[], cosine, bm25, fusion });
  }
  return passages;
}
