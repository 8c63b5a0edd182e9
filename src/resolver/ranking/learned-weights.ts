/**
 * Every number of the resolver that was found with data instead of being chosen, in one place.
 *
 * - Fitted: `FILE_WEIGHTS` and `UNIT_CHANCE` maximise a likelihood. `bench/eval/fit-weights.ts`
 *   makes them again from crashes with known fixes, and docs/evaluation.md says from which, and how far that proves
 *   them.
 * - Tuned: `FRAME_FAULT`, `SCORE_EVENNESS`, `CONTEXT_SPENDING`, `SHORT_CONTEXT` and `LOW_CONFIDENCE` were tried out on
 *   the same crashes until their figures grew no more.
 * - `SEARCH_WEIGHTS` and `SEARCH_TEST_PRIOR` were fitted to commit messages (docs/evaluation.md).
 */

/** How much a list counts: by a file's place in it, and by its score where traces share its scale, [0, 1]. */
export interface ListWeight {
  rank: number
  score?: number
}

/** How much a list counts for files that the trace names, and for others. */
export interface ListWeights {
  /** For files that the trace names. */
  named?: ListWeight
  /**
   * For other files, by their place among themselves: what leads to one of those speaks in a list that the named ones
   * stand at the top of, too.
   */
  others?: ListWeight
}

/** The weights of a ranking of files. Sums are compared by a softmax, so only their differences count. */
export interface FileWeights {
  /** By list; reasons of equal weight are given in this order. */
  lists: Readonly<Record<string, ListWeights>>
  /** What speaks for or against a file before any list does. */
  prior: {
    /** The trace names the file. */
    named: number
    firstNamed: number
    onlyNamed: number
    namedTest: number
    /** The trace does not name it, and it is a test, of a library that the repository keeps a copy of, … */
    test: number
    vendored: number
    /** … documents, examples, benchmarks and the like, configuration, generated or copied. */
    aside: number
    config: number
    derived: number
    /** It is in the language of a named file; where no file is named, every file gets half of it. */
    sameLanguage: number
  }
  /** The weight of the case that none of the listed files is at fault. */
  noFile: number
}

/**
 * Weights of a ranking of files. Fitted: they maximise the likelihood that the softmax of the sums gives to the files
 * that a fix changed, over 58 crashes, counted twice, and 242 from commit messages, without history. No weight of a
 * list may be below zero.
 *
 * Four kinds of weights differ from the fit. History got small ones, because it added little for held-out crashes.
 * Callees and types above and below keep a little for our own crashes, whose cause is one call away. Vectors count
 * where the trace names no file; beside frames they cost as much as they gave. A test that the trace names is less
 * suspect here than fixes suggest, because no test is counted among the files of a fix.
 */
export const FILE_WEIGHTS = {
  lists: {
    frames: { named: { rank: 1.7, score: 1.8 } },
    textFiles: { named: { rank: 0.9, score: 0.7 }, others: { rank: 1.2 } },
    message: { named: { rank: 0.6, score: 0.8 } },
    source: { named: { rank: 0.6 } },
    elsewhere: { others: { rank: 0.9 } },
    rareWords: { others: { rank: 1.9, score: 1.1 } },
    quoted: { others: { rank: 1.1, score: 1.3 } },
    messageNames: { others: { rank: 2.2 } },
    qualified: { named: { rank: 0.6 }, others: { rank: 0.9, score: 1.6 } },
    callees: { others: { rank: 0.2 } },
    users: { others: { rank: 0.6, score: 2.2 } },
    hierarchy: { others: { rank: 0.1 } },
    packaging: { others: { rank: 3, score: 2.8 } },
    history: { named: { rank: 0, score: 0.5 }, others: { rank: 0, score: 1.5 } },
    dense: { others: { rank: 1 } },
  },
  prior: {
    named: 1.9,
    firstNamed: 0.5,
    onlyNamed: -1.3,
    namedTest: -1.5,
    test: -3,
    vendored: -1.8,
    aside: -1.8,
    config: -0.4,
    derived: -1.8,
    sameLanguage: 0.7,
  },
  noFile: 4.6,
} as const satisfies FileWeights

/**
 * How likely a few lines have to change if their file has to. Fitted: logistic regression over the files that the fixes
 * of 177 crashes changed, cut into units, by whether the fix changed a line of the unit.
 */
export const UNIT_CHANCE = {
  bias: -0.7,
  failing: 0.7,
  sameFunction: 0.3,
  nearFailing: 2,
  near: 0.6,
  pointed: 0.9,
  size: 0.6,
  fileSize: -0.6,
  hasMarks: -1.05,
}

/**
 * What makes a file that the trace names less suspect than the one nearest to the failure, in steps of nearness; its
 * score is e to the negative sum. Tuned.
 */
export const FRAME_FAULT = {
  /** For each of the first `nearFiles` nearer files; `perFarFile` for each further one. */
  perNearFile: 0.5,
  nearFiles: 4,
  perFarFile: 0.1,
  /** The line in the nearest file raises the error itself, or ends a statement that does. */
  raises: 0.45,
  endsRaising: 0.6,
  vendored: 3,
  test: 1,
  perDoubledUse: 0.05,
  /** By distance: the exception in question, another one of the same failure, another failure. */
  away: [0, 0.5, 2],
} as const

/**
 * The exponent that evens out the files' scores before a context is filled. Tuned: the scores are too sure of
 * themselves on crashes that the weights were not fitted to, so with 1 too few files found room.
 */
export const SCORE_EVENNESS = 0.67

/** How the token budget of a context is spent. Tuned by how much of the fixes' changes was shown. */
export const CONTEXT_SPENDING = {
  fileBonus: 0.2,
  unitTokens: 60,
  failingShare: 0.3,
  marksShare: 0.25,
  filesTokens: 400,
  leastWorth: 0,
}

/**
 * How the context of a short answer is made: finer pieces, and none that is not worth its tokens. Tuned: of 41 crashes
 * of which the full context shows changed lines, 1,600 tokens show some of 37 in pieces of six lines, and of 35 in
 * those of twelve that a full one has. Traces of many frames get less room (decision 0030).
 */
export const SHORT_CONTEXT = {
  maxTokens: 2_000,
  unitSize: { pieceLines: 6, wholeLines: 10 },
  spending: {
    fileBonus: 0.4,
    unitTokens: 50,
    failingShare: 0.3,
    marksShare: 0.25,
    filesTokens: 0,
    leastWorth: 0.00015,
  },
} as const

/**
 * When the first file scores less than this, an answer says that no file stands out. Tuned: of 40 such crashes the
 * first file was at fault in 11, among those that the weights were fitted to.
 */
export const LOW_CONFIDENCE = 0.3

/**
 * Weights of the lists of a search. They maximise the likelihood of the files that commits changed, given their
 * messages, over eight repositories. Messages contain paths too rarely to learn from them: `mentions`, and
 * `mentionsAlone` for a query that is nothing but a path, are judgements. The latter is more than all others together.
 */
export const SEARCH_WEIGHTS = {
  chunks: { rank: 0.9, score: 1.2 },
  files: { rank: 1.5, score: 1.2 },
  similar: { rank: 0.8, score: 0.8 },
  definitions: { rank: 1.2, score: 0.9 },
  pathWords: { rank: 0.5 },
  baseNames: { rank: 0.5, score: 0.4 },
  namesakes: { rank: 0.5, score: 0.3 },
  mentions: { rank: 2, score: 2 },
  mentionsAlone: { rank: 12, score: 4 },
} as const satisfies Record<string, ListWeight>

/** What is added for a test in a search that does not ask for tests. */
export const SEARCH_TEST_PRIOR = -0.7
