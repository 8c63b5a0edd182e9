// `tsc` rewrites the suffix of imports, not of URLs: the sources run as .ts, the package as .js.
const SUFFIX = import.meta.url.endsWith('.ts') ? 'ts' : 'js'

/** The file of a thread's module, which is named from this folder and without its suffix. */
export const entryUrl = (module: string): URL => new URL(`./${module}.${SUFFIX}`, import.meta.url)
