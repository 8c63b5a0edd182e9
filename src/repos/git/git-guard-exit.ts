/** The exit code by which git-guard.ts reports that there is no git binary; git itself never ends with it. */
export const GIT_NOT_FOUND_EXIT_CODE = 97
