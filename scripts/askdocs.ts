/** The command `askdocs`: joins the subcommands of the service and of the harness. */
import { defineCommand } from 'citty';
import packageJson from '../package.json' with { type: 'json' };
import { runCli } from './cli.ts';

// Each command is loaded when it is called, so that `askdocs gate check` never pays for the search engine.
const root = defineCommand({
  meta: {
    name: 'askdocs',
    version: packageJson.version,
    description: 'Answers over your documents with checked citations, and proof whether a change made them better.',
  },
  subCommands: {
    init: () => import('./commands/init.ts').then((m) => m.initCommand),
    doctor: () => import('./commands/doctor.ts').then((m) => m.doctorCommand),
    index: () => import('./commands/index.ts').then((m) => m.indexCommand),
    sources: () => import('./commands/sources.ts').then((m) => m.sourcesCommand),
    models: () => import('./commands/models.ts').then((m) => m.modelsCommand),
    calibrate: () => import('./commands/calibrate.ts').then((m) => m.calibrateCommand),
    serve: () => import('./commands/serve.ts').then((m) => m.serveCommand),
    ask: () => import('./commands/ask.ts').then((m) => m.askCommand),
    eval: () => import('./commands/eval.ts').then((m) => m.evalCommand),
    cases: () => import('./commands/cases.ts').then((m) => m.casesCommand),
    judge: () => import('./commands/judge.ts').then((m) => m.judgeCommand),
    agreement: () => import('./commands/agreement.ts').then((m) => m.agreementCommand),
    report: () => import('./commands/report.ts').then((m) => m.reportCommand),
    gate: () => import('./commands/gate.ts').then((m) => m.gateCommand),
  },
});

process.exitCode = await runCli(root, process.argv.slice(2), process.stderr);
