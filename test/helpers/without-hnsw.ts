// Makes hnswlib-node look as if it were not installed: node --import test/helpers/without-hnsw.ts FILE. `npm test --
// --exact` runs all tests so, and the processes that they start.
import { registerHooks } from 'node:module'

registerHooks({
  resolve(specifier, context, next) {
    if (specifier !== 'hnswlib-node') return next(specifier, context)
    throw Object.assign(new Error("Cannot find package 'hnswlib-node'"), { code: 'ERR_MODULE_NOT_FOUND' })
  },
})
