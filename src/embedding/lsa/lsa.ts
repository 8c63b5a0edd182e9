import { createLsaEmbedder } from './lsa-embedder.ts'
import { openFit, serializeFit } from './lsa-file.ts'
import { fitLsa } from './lsa-fit.ts'
import { foldDocuments } from './lsa-fold.ts'
import { sampleOfFit } from './lsa-sample-file.ts'
import { isOutgrown, isWorthFitting } from './lsa-refit.ts'

/** The learned embedder as those use it who index (all but the last) and who search (`openFit`, `createEmbedder`). */
export const LSA = {
  model: 'lsa-128',
  fitLsa,
  foldDocuments,
  openFit,
  serializeFit,
  sampleOfFit,
  isWorthFitting,
  isOutgrown,
  createEmbedder: createLsaEmbedder,
}
