import { join } from 'node:path'
import { rememberingOpenFit } from '../embedding/lsa/lsa-file.ts'
import { LSA } from '../embedding/lsa/lsa.ts'
import type { GenerationTransport } from '../replication/generations.ts'
import { dropIndex } from '../vecstore/local-copy.ts'
import { learnInThread } from '../threads/fit-thread.ts'
import type { Store } from '../vecstore/store.ts'
import { assembleGeneration } from '../vecstore/transport/assemble-generation.ts'
import { describePublished } from '../vecstore/transport/describe-generation.ts'
import type { FoldVectors, LearnAgain } from '../vecstore/transport/recipes/recipe.ts'
import {
  decodeDescription,
  encodeDescription,
  isSameGeneration,
  piecesOf,
  sparePiecesOf,
  withoutRecipes,
  type GenerationDescription,
} from '../vecstore/transport/description.ts'

/** Makes vectors of the learned space as the indexer does. */
export function foldingVectors(): FoldVectors {
  const openFit = rememberingOpenFit()
  return (bytes, rows) => {
    const fit = openFit(bytes)
    return { dimensions: fit.dimensions, vectors: LSA.foldDocuments(fit, rows).vectors }
  }
}

/**
 * Takes generations of this node's own indexes apart and puts those of others together, by pieces.
 *
 * @param root - The folder of the indexes. @param store - The node's own, not the one that all nodes share.
 * @param learn - Learns a space again from its sample.
 */
export function generationTransport(
  root: string,
  store: Pick<Store, 'createProject' | 'publication'>,
  learn: LearnAgain = learnInThread,
): GenerationTransport<GenerationDescription> {
  const folderOf = (project: string): string => join(root, project)
  const fold = foldingVectors()
  return {
    describe: (project, options) => describePublished(folderOf(project), { ...options, fold }),
    piecesOf: description => piecesOf(description).values(),
    sparePiecesOf: description => sparePiecesOf(description).values(),
    ofOlderReleases: description => [withoutRecipes(description)],
    isSame: isSameGeneration,
    encode: encodeDescription,
    decode: (project, bytes) => decodeDescription(folderOf(project), bytes),
    async assemble(project, description, fetchPiece, signal) {
      await store.createProject(project) // does nothing where it is there
      return await assembleGeneration(folderOf(project), description, fetchPiece, {
        signal,
        arePiecesChecked: true,
        fold,
        learn,
      })
    },
    publication: project => store.publication(project),
    drop: project => dropIndex(root, project),
  }
}
