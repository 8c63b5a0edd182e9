// A program of its own, started by git-client.ts in place of git: `node git-guard.ts <git's arguments>`.
//
// A fetch is a family: git, git-remote-https or ssh, index-pack. Killing git alone leaves the others running, and a
// server that dies by SIGKILL kills nobody. So git gets a process group of its own here, and the whole group is killed
// as soon as this process is told to stop or its stdin, whose other end only the server holds, is closed.
import { spawn } from 'node:child_process'
import { GIT_NOT_FOUND_EXIT_CODE } from './git-guard-exit.ts'

const git = spawn('git', process.argv.slice(2), { detached: true, stdio: ['ignore', 'inherit', 'inherit'] })

function killGroup(): void {
  if (git.pid === undefined) return
  try {
    process.kill(-git.pid, 'SIGKILL')
  } catch {
    // the group is gone already
  }
}

// First, or a stop while git starts would end this process alone; no listener runs before git has its id.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, killGroup)

process.stdin.on('close', killGroup).on('error', killGroup).resume()

git.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'ENOENT' ? GIT_NOT_FOUND_EXIT_CODE : 126)
})
git.on('exit', code => {
  killGroup() // a helper that git left behind
  process.exit(code ?? 128)
})
