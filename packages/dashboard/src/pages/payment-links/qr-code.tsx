import { Download } from 'lucide-react';
import { useMemo } from 'react';
import { encode } from 'uqr';
import { saveFile } from '../../api/download.ts';
import { Button } from '../../components/buttons/button.tsx';
import { toast } from '../../components/feedback/toasts.tsx';

/** The width in modules of the light border around the code, which scanners need (ISO/IEC 18004). */
const border = 4;
/** The size of a module in the picture, in pixels. */
const scale = 16;

interface Code {
  /** The number of modules on each side, including the border. */
  readonly size: number;
  /** The SVG path of all dark modules, in units of one module. */
  readonly path: string;
  readonly dark: readonly (readonly [x: number, y: number])[];
}

function codeOf(text: string): Code {
  const { data, size } = encode(text, { ecc: 'M', border });
  const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [[x, y] as const] : [])));
  return { size, dark, path: dark.map(([x, y]) => `M${x} ${y}h1v1h-1z`).join('') };
}

const svgOf = ({ size, path }: Code) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path d="${path}"/></svg>\n`;

function pngOf({ size, dark }: Code): Promise<Blob | null> {
  const canvas = document.createElement('canvas');
  canvas.width = size * scale;
  canvas.height = size * scale;
  const context = canvas.getContext('2d');
  if (context === null) return Promise.resolve(null);
  context.fillStyle = '#fff';
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.fillStyle = '#000';
  for (const [x, y] of dark) context.fillRect(x * scale, y * scale, scale, scale);
  return new Promise((resolve) => canvas.toBlob(resolve, 'image/png'));
}

/** The URL of a link as a QR code, on the page and as a picture. @param name name of the files, without extension */
export function QrCode({ url, name }: { readonly url: string; readonly name: string }) {
  const code = useMemo(() => codeOf(url), [url]);
  const saveSvg = () => saveFile(new File([svgOf(code)], `${name}.svg`, { type: 'image/svg+xml' }));
  const savePng = async () => {
    const picture = await pngOf(code);
    if (picture === null) toast('The browser could not draw the picture. Take the SVG.', 'bad');
    else saveFile(new File([picture], `${name}.png`, { type: 'image/png' }));
  };
  return (
    <div className="flex flex-wrap items-center gap-4">
      <svg
        role="img"
        aria-label="QR code of the link"
        viewBox={`0 0 ${code.size} ${code.size}`}
        shapeRendering="crispEdges"
        className="size-40 shrink-0 rounded-md border border-line bg-white"
      >
        <path d={code.path} fill="#000" />
      </svg>
      <div className="flex flex-col items-start gap-2">
        <Button size="sm" icon={Download} onClick={() => void savePng()}>
          PNG for mails and documents
        </Button>
        <Button size="sm" icon={Download} onClick={saveSvg}>
          SVG for print
        </Button>
      </div>
    </div>
  );
}
