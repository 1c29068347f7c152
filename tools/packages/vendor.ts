import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../tree.ts'

const installed = join(root, 'node_modules/@scalar/api-reference')

/** The page `/docs` needs one file of a package that installs hundreds. */
export function vendorApiReference(folder: string): void {
  const { name, version, homepage, license } = JSON.parse(
    readFileSync(join(installed, 'package.json'), 'utf8'),
  )
  if (license !== 'MIT')
    throw new Error(`${name} is ${license} now: correct the text of its licence.`)
  mkdirSync(folder, { recursive: true })
  cpSync(join(installed, 'dist/browser/standalone.js'), join(folder, 'api-reference.js'))
  writeFileSync(
    join(folder, 'api-reference.LICENSE.txt'),
    `api-reference.js is dist/browser/standalone.js of ${name} ${version} (${homepage}).\n\n${mit}`,
  )
}

// Its archive has no file with the licence.
const mit = `MIT License

Copyright (c) 2023-present Scalar

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
`
