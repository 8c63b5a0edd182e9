export { findGitDirs } from '../repos/remote/local-source.ts'
