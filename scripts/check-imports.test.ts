import { describe, expect, test } from 'vitest';
import { violations } from './check-imports.ts';

const imports = (path: string) => `import { x } from '${path}';\n`;

describe('the direction of imports', () => {
  test.each([
    ['harness/judge.ts', '../service/contract.ts'],
    ['harness/metrics/a.ts', '../../service/citations.ts'],
    ['service/search/rank.ts', '../contract.ts'],
    ['service/search/embed/onnx.ts', '../text.ts'],
    ['service/app.ts', './errors.ts'],
    ['scripts/commands/eval.ts', '../../harness/run.ts'],
  ])('%s may import %s', (file, path) => {
    expect(violations(file, imports(path))).toEqual([]);
  });

  test.each([
    ['harness/judge.ts', '../service/app.ts'],
    ['harness/metrics/a.ts', '../../service/search/rank.ts'],
    ['harness/a.ts', '../scripts/cli.ts'],
    ['service/app.ts', '../harness/schema.ts'],
    ['service/app.ts', './search/store.ts'],
    ['service/search/embed/onnx.ts', '../../errors.ts'],
    ['service/search/a.ts', '../sentences.ts'],
  ])('%s must not import %s', (file, path) => {
    expect(violations(file, imports(path))).toHaveLength(1);
    expect(violations(file, `const m = await import('${path}');`)).toHaveLength(1);
    expect(violations(file, `export { x } from "${path}";`)).toHaveLength(1);
  });

  test('tests may reach across', () => {
    expect(violations('harness/judge.test.ts', imports('../service/app.ts'))).toEqual([]);
  });
});
