/** `askdocs models pull`: fetches the local embedder. */
import { defineCommand } from 'citty';
import { pullModel } from '../../service/search/embed/fetch.ts';
import { embedSettings } from '../../service/search/embed/open.ts';
import { readEnvironment } from '../environment.ts';
import { interruptible } from '../interrupt.ts';
import { createProgress } from '../progress.ts';

const pull = defineCommand({
  meta: {
    name: 'pull',
    description: 'Fetch the embedder all-MiniLM-L6-v2 (23 MB) into .models, so that search goes by meaning too.',
  },
  args: {
    from: {
      type: 'string',
      description: 'A folder that has model.onnx and tokenizer.json already',
      valueHint: 'FOLDER',
    },
  },
  async run({ args }) {
    const progress = createProgress();
    try {
      const models = embedSettings(readEnvironment()).models ?? '.models';
      const pulled = await interruptible((signal) =>
        pullModel({ models, from: args.from, signal, onProgress: progress.update }),
      );
      progress.end();
      const what = pulled.source === undefined ? 'is there already' : `was fetched from ${pulled.source}`;
      console.log(`The embedder ${what}: ${pulled.folder}. Run askdocs index again to use it.`);
    } finally {
      progress.end();
    }
  },
});

export const modelsCommand = defineCommand({
  meta: { name: 'models', description: 'Fetch the model that search by meaning needs.' },
  subCommands: { pull },
});
