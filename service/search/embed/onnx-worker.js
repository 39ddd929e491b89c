// The sources are TypeScript, and a thread does not inherit what loads them: register it, then load the worker.
import { register } from 'tsx/esm/api';

register();
export const { embed } = await import('./onnx-worker.ts');
