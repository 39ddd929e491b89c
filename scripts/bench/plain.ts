/** What programs of this folder's parent share that are no commands: which index they use, and failures as one sentence. */
import { existsSync } from 'node:fs';
import { CodedError } from '../../service/contract.ts';
import { describeError } from '../../service/errors.ts';

const INDEXES = ['data/docs.db', 'data/demo.db'];

process.on('uncaughtException', (error) => {
  process.stderr.write(
    `${error instanceof CodedError ? describeError(error).replace(/^CodedError: /, '') : error.stack}\n`,
  );
  process.exit(error instanceof CodedError && error.code === 'bad_input' ? 64 : 1);
});

/** The index that was named, else the user's own, else the demo's. */
export function benchIndex(named: string | undefined): string {
  const db = named ?? INDEXES.find((path) => existsSync(path));
  if (db !== undefined && existsSync(db)) return db;
  throw new CodedError(
    'bad_input',
    named === undefined
      ? `There is neither ${INDEXES.join(' nor ')}; make one with npm run demo, or name an index with --db.`
      : `There is no index at ${named}; name another with --db, or make it with askdocs index PATH --db ${named}.`,
  );
}
