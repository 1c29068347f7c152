import { useStrings } from '../provider/context.ts'
import { Icon } from '../provider/icon.tsx'
import type { ChosenFile, Files } from './files.ts'

/** The files that go with the message. */
export function ChosenFiles({ files }: { readonly files: Files }) {
  if (files.all.length === 0) return null
  return (
    <ul className="chorale-chosen">
      {files.all.map((one) => (
        <Chosen key={one.key} one={one} onRemove={() => files.remove(one.key)} />
      ))}
    </ul>
  )
}

function Chosen({ one, onRemove }: { readonly one: ChosenFile; readonly onRemove: () => void }) {
  const strings = useStrings()
  const { name } = one.file
  return (
    <li data-state={one.state}>
      {one.state === 'uploading' ? (
        <span className="chorale-spinner" role="status" aria-label={strings.uploading(name)} />
      ) : (
        <Icon name={one.state === 'failed' ? 'alert' : 'file'} />
      )}
      <bdi>{one.state === 'failed' ? strings.uploadFailed(name) : name}</bdi>
      <button type="button" aria-label={strings.removeFile(name)} onClick={onRemove}>
        <Icon name="close" />
      </button>
    </li>
  )
}
