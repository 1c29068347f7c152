import sharp from 'sharp'

/** A JPEG with some detail in it: one of a single colour costs nothing. */
export async function photoOf(width: number, height: number): Promise<Buffer> {
  const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const
  const grain = await sharp({
    create: { width: 200, height: 150, channels: 3, background: '#888', noise },
  })
    .png()
    .toBuffer()
  return sharp(grain).resize(width, height).jpeg({ quality: 90 }).toBuffer()
}
