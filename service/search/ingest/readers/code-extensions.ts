/** Apart from the reader: the list is needed for every file, the patterns only for code. */
export const CODE_EXTENSIONS: readonly string[] = [
  '.ts .tsx .mts .cts .js .jsx .mjs .cjs .java .kt .kts .scala .cs .go .rs .c .h .cc .cpp .cxx .hpp .hh .swift .php .dart .zig',
  '.proto .graphql .vue .svelte .py .pyi .rb .ex .exs .lua .jl .r .pl .pm .sh .bash .zsh .fish .ps1 .nim .hs .ml .clj .erl .sql',
].flatMap((line) => line.split(' '));
