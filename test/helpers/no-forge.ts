/** What resolving jobs are given where no forge is known. */
export const NO_FORGE = {
  findForge: async () => null,
  sourcesOf: async () => ({ repositories: [], ciComments: true }),
}
