/**
 * `node --import scripts/with-parent.js PROGRAM` ends when its standard input does: given a pipe that nobody writes to, it
 * does not outlive the test or benchmark that started it, however that ends. JavaScript, for it runs before any loader.
 */
process.stdin.once('end', () => process.exit(1));
process.stdin.resume();
// Waiting for the end must not keep a program alive that is done.
process.stdin.unref?.();
