/** All that the doctor looks at, in the order it is shown. */
import packageJson from '../../package.json' with { type: 'json' };
import { type Config, type Environment, loadConfig } from '../../service/config.ts';
import { type Check, fail, ok, said, warn } from './check.ts';
import { diskCheck, k6Check, nodeCheck, portCheck, pythonCheck } from './machine.ts';
import { modelChecks } from './model.ts';
import { embedderCheck, indexCheck } from './search.ts';

/** Everything after the second needs settings that can be read. */
export async function examine(env: Environment): Promise<Check[]> {
  const node = nodeCheck(process.versions.node, packageJson.engines.node);
  let config: Config;
  try {
    config = loadConfig(env);
  } catch (error) {
    return [node, fail('settings', said(error))];
  }
  const embedder = await embedderCheck(env);
  const [index, model, disk, port, k6, python] = await Promise.all([
    indexCheck(config, embedder.there),
    modelChecks(config),
    diskCheck(config.search.db),
    portCheck(config.host, config.port),
    k6Check(env.ASKDOCS_K6),
    embedder.pullable ? pythonCheck('the embedder, where Hugging Face is not reachable') : undefined,
  ]);
  const all = [node, settingsCheck(config), embedder.check, index, ...model, disk, port, k6];
  return python === undefined ? all : [...all, python];
}

function settingsCheck(config: Config): Check {
  if (config.unknown.length === 0) return ok('settings', 'all can be read');
  return warn(
    'settings',
    `${config.unknown.join(', ')}: no setting of askdocs, not read`,
    'See .env.example for the names.',
  );
}
