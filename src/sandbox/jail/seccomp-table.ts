/** The system calls that programs in the jail may not make, by number. Names that an architecture lacks are missing. */
export interface SyscallTable {
  /** AUDIT_ARCH_* of linux/audit.h: the value that the kernel reports for calls of this architecture. */
  audit: number
  /** The newest call that was reviewed; later ones get ENOSYS, so that libraries fall back. */
  newest: number
  /** Calls that get EPERM. */
  refused: ReadonlyMap<string, number>
  /** Calls that get ENOSYS, after which libc and others use an older call whose arguments can be checked. */
  absent: ReadonlyMap<string, number>
  /** The number of `ioctl`, whose argument is checked. */
  ioctl: number
  clone: number
  socket: number
  personality: number
}

const MSEAL = 462

// From 424 on the numbers are the same on all architectures.
const COMMON_REFUSED = `
    io_uring_setup 425, io_uring_enter 426, io_uring_register 427, pidfd_getfd 438, process_madvise 440,
    mount_setattr 442, quotactl_fd 443, lsm_set_self_attr 460`
const COMMON_ABSENT =
  'open_tree 428, move_mount 429, fsopen 430, fsconfig 431, fsmount 432, fspick 433, clone3 435, memfd_secret 447'

/** Reads `name number, name number`, the format of the kernel's own tables. */
const calls = (text: string): ReadonlyMap<string, number> =>
  new Map(
    text.split(',').map(item => {
      const [name = '', number] = item.trim().split(' ')
      return [name, Number(number)]
    }),
  )

const X64: SyscallTable = {
  audit: 0xc000003e,
  newest: MSEAL,
  refused: calls(`
    shmget 29, semget 64, msgget 68, ptrace 101, syslog 103, uselib 134, vhangup 153, pivot_root 155, _sysctl 156,
    adjtimex 159, chroot 161, acct 163,
    settimeofday 164, mount 165, umount2 166, swapon 167, swapoff 168, reboot 169, iopl 172, ioperm 173,
    create_module 174, init_module 175,
    delete_module 176, quotactl 179, nfsservctl 180, lookup_dcookie 212, clock_settime 227, mbind 237,
    set_mempolicy 238, get_mempolicy 239,
    kexec_load 246, add_key 248, request_key 249, keyctl 250, migrate_pages 256, unshare 272, move_pages 279,
    perf_event_open 298, fanotify_init 300,
    name_to_handle_at 303, open_by_handle_at 304, clock_adjtime 305, setns 308, process_vm_readv 310,
    process_vm_writev 311, kcmp 312, finit_module 313,
    kexec_file_load 320, bpf 321, userfaultfd 323,
    ${COMMON_REFUSED}`),
  absent: calls(`
    memfd_create 319,
    ${COMMON_ABSENT}`),
  ioctl: 16,
  clone: 56,
  socket: 41,
  personality: 135,
}

const ARM64: SyscallTable = {
  audit: 0xc00000b7,
  newest: MSEAL,
  refused: calls(`
    lookup_dcookie 18, umount2 39, mount 40, pivot_root 41, nfsservctl 42, chroot 51, vhangup 58, quotactl 60,
    acct 89, unshare 97, kexec_load 104,
    init_module 105, delete_module 106, clock_settime 112, syslog 116, ptrace 117, reboot 142, settimeofday 170,
    adjtimex 171, msgget 186, semget 190,
    shmget 194, add_key 217, request_key 218, keyctl 219, swapon 224, swapoff 225, mbind 235, get_mempolicy 236,
    set_mempolicy 237, migrate_pages 238,
    move_pages 239, perf_event_open 241, fanotify_init 262, name_to_handle_at 264, open_by_handle_at 265,
    clock_adjtime 266, setns 268,
    process_vm_readv 270, process_vm_writev 271, kcmp 272, finit_module 273, bpf 280, userfaultfd 282,
    kexec_file_load 294,
    ${COMMON_REFUSED}`),
  absent: calls(`
    memfd_create 279,
    ${COMMON_ABSENT}`),
  ioctl: 29,
  clone: 220,
  socket: 198,
  personality: 92,
}

/** The table for each `process.arch`. */
export const SYSCALL_TABLES: ReadonlyMap<string, SyscallTable> = new Map([
  ['x64', X64],
  ['arm64', ARM64],
])
