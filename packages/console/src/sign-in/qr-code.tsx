import encodeQR from 'qr'

interface QrCodeProps {
  readonly text: string
  /** Said to those who do not see it. */
  readonly label: string
}

/** Black on white in all colors: cameras want it so. */
export function QrCode({ text, label }: QrCodeProps) {
  const rows = encodeQR(text, 'raw', { border: 4 })
  const dark = rows.flatMap((row, y) => row.flatMap((is, x) => (is ? [`M${x} ${y}h1v1h-1z`] : [])))
  return (
    <svg className="qr" viewBox={`0 0 ${rows.length} ${rows.length}`} role="img" aria-label={label}>
      <path d={dark.join('')} />
    </svg>
  )
}
