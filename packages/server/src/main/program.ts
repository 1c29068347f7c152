import { Command } from 'commander'
import { versionOfPackage } from './version.ts'

/** Each with the modules that it needs: a command that asks one table does not load the service. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  start: async () => (await import('./commands/start.ts')).startCommand(),
  serve: async () => (await import('./commands/serve.ts')).serveCommand(),
  migrate: async () => (await import('./commands/migrate.ts')).migrateCommand(),
  app: async () => (await import('./commands/app.ts')).appCommand(),
  key: async () => (await import('./commands/key.ts')).keyCommand(),
  'management-key': async () =>
    (await import('./commands/management-key.ts')).managementKeyCommand(),
  collaborator: async () => (await import('./commands/collaborator.ts')).collaboratorCommand(),
  'master-key': async () => (await import('./commands/master-key.ts')).masterKeyCommand(),
  'dead-letters': async () => (await import('./commands/dead-letter.ts')).deadLettersCommand(),
  audit: async () => (await import('./commands/audit.ts')).auditCommand(),
  files: async () => (await import('./commands/files.ts')).filesCommand(),
  epoch: async () => (await import('./commands/epoch.ts')).epochCommand(),
  move: async () => (await import('./commands/move/move.ts')).moveCommand(),
  export: async () => (await import('./commands/archive/export.ts')).exportCommand(),
  import: async () => (await import('./commands/archive/import.ts')).importCommand(),
  'check-archive': async () => (await import('./commands/archive/import.ts')).checkArchiveCommand(),
  status: async () => (await import('./commands/status/status.ts')).statusCommand(),
  doctor: async () => (await import('./commands/doctor/doctor.ts')).doctorCommand(),
}

/** The command that the arguments name; every command where they name none, for the help. */
export async function buildProgram(args: readonly string[]): Promise<Command> {
  const program = new Command('chorale')
    .version(versionOfPackage(), '--version', 'print the version')
    .description('An open, self-hosted, multi-tenant chat back end.')
  for (const load of needed(args)) program.addCommand(await load())
  pointToHelp(program)
  return program
}

function needed([first = '']: readonly string[]) {
  if (first === '--version') return []
  const named = Object.hasOwn(commands, first) ? commands[first] : undefined
  return named ? [named] : Object.values(commands)
}

/** A command does not inherit this from the one above it. */
function pointToHelp(command: Command): void {
  command.showHelpAfterError('(see --help)')
  for (const below of command.commands) pointToHelp(below)
}
