import { FaultlineError } from '../../core/errors.ts'

/** Why nothing can be executed, and what would help; neither names a folder of this machine. */
export interface SandboxProblem {
  reason: string
  fix: string
}

/** The error for a problem. */
export const unavailable = ({ reason, fix }: SandboxProblem): FaultlineError =>
  new FaultlineError('SANDBOX_UNAVAILABLE', reason, fix)

/** The operator turned execution off. */
export const SWITCHED_OFF: SandboxProblem = {
  reason: 'The operator has switched execution off (SANDBOX=none).',
  fix: 'Set SANDBOX=auto and install bubblewrap.',
}
/** bubblewrap is not installed. */
export const NO_BUBBLEWRAP: SandboxProblem = {
  reason: 'bubblewrap is not installed, so nothing can be executed safely.',
  fix: 'Install it: apt-get install bubblewrap (dnf, pacman: the same name).',
}
/** A server that runs as root cannot change to the sandbox's account. */
export const NO_SETPRIV: SandboxProblem = {
  reason: 'The server runs as root, and setpriv is not installed: jailed programs would be root, too.',
  fix: 'Install it: apt-get install util-linux. Or run the server as an ordinary user.',
}
/** There is no list of system calls for this processor. */
export const NO_FILTER: SandboxProblem = {
  reason: `There is no list of system calls for this kind of processor (${process.arch}).`,
  fix: 'Run the server on x86-64 or arm64.',
}
/** Programs never run without a sandbox as root. */
export const UNSAFE_AS_ROOT: SandboxProblem = {
  reason: 'SANDBOX=unsafe-host is refused for a server that runs as root.',
  fix: 'Run the server as an ordinary user, or set SANDBOX=auto.',
}
/** Programs never run without a sandbox for clients on other machines. */
export const UNSAFE_BEYOND_LOOPBACK: SandboxProblem = {
  reason: 'SANDBOX=unsafe-host is refused for a server that others can reach.',
  fix: 'Set HOST=127.0.0.1, or SANDBOX=auto.',
}

/** A folder on the way to the workspaces is closed to the account that runs programs. */
export const closedWorkspaces = (uid: number | undefined): SandboxProblem => ({
  reason:
    `The account that runs programs (uid ${uid ?? '?'}) cannot reach WORKSPACES_DIR: ` +
    'a folder on the way is closed to it.',
  fix:
    'Set WORKSPACES_DIR to a folder on whose way every folder may be passed (mode 0711), ' +
    'for instance /var/lib/faultline/workspaces.',
})

/** Known reasons why a jail did not start, by what bubblewrap and others print. */
const KNOWN: Array<{ pattern: RegExp; problem: SandboxProblem }> = [
  {
    pattern:
      /creating new namespace failed|no permissions to creat\w+ (?:a )?new namespace|setting up uid map|unprivileged user namespaces/i,
    problem: {
      reason: 'The kernel gives this server no namespaces, so bubblewrap cannot work.',
      fix:
        'Allow user namespaces: sysctl kernel.unprivileged_userns_clone=1 (Debian), ' +
        'an AppArmor profile for bwrap (Ubuntu 24.04), ' +
        'or a seccomp profile that allows them (Docker: --security-opt). Never --privileged. See docs/sandbox.md.',
    },
  },
  {
    pattern: /unknown option/i,
    problem: { reason: 'The installed bubblewrap is too old.', fix: 'Install bubblewrap 0.8 or newer.' },
  },
  {
    pattern: /can't mount proc/i,
    problem: {
      reason: 'The kernel does not let bubblewrap mount /proc here.',
      fix: 'In a container, unmask /proc (Docker: --security-opt systempaths=unconfined). See docs/sandbox.md.',
    },
  },
]

/**
 * Why a jail did not start.
 *
 * @param said - What its start printed to stderr.
 */
export function startProblem(said: string): SandboxProblem {
  const known = KNOWN.find(({ pattern }) => pattern.test(said))
  if (known !== undefined) return known.problem
  const line =
    said
      .trim()
      .split('\n')
      .at(-1)
      ?.replaceAll(/\/[^\s:'"]+/g, '…')
      .slice(0, 200) ?? ''
  return {
    reason: `The jail did not start${line === '' ? '' : `: ${line}`}.`,
    fix: 'Run "faultline doctor" on the server, and see docs/sandbox.md.',
  }
}
