/**
 * The stand-in of a llama.cpp server as a process:
 *   node --import tsx loadtest/stand-in.ts --port 8081 --slots 4
 */
import { parseArgs } from 'node:util';
import { ANSWER_TOKENS, RATES, startStandIn } from './stand-in/server.ts';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '8081' },
    slots: { type: 'string', default: '4' },
    context: { type: 'string', default: '8192' },
    'prefill-per-second': { type: 'string', default: String(RATES.prefillPerSecond) },
    'step-ms': { type: 'string', default: String(RATES.stepMs) },
    'slot-ms': { type: 'string', default: String(RATES.slotMs) },
    'answer-tokens': { type: 'string', default: String(ANSWER_TOKENS) },
  },
});
const standIn = await startStandIn({
  port: Number(values.port),
  slots: Number(values.slots),
  context: Number(values.context),
  answerTokens: Number(values['answer-tokens']),
  rates: {
    prefillPerSecond: Number(values['prefill-per-second']),
    stepMs: Number(values['step-ms']),
    slotMs: Number(values['slot-ms']),
  },
});
process.stderr.write(`stand-in of llama.cpp on ${standIn.url}\n`);
process.on('SIGTERM', () => void standIn.close().then(() => process.exit(0)));
process.on('SIGINT', () => void standIn.close().then(() => process.exit(0)));
