"""Recordings of foot pressure, made up here, and how each device writes them."""

import struct

import numpy as np


def roll_off(rows, columns, frames, peak=200.0):
    """(T, rows, columns) kPa in steps of 0.5: something rolls from the last row, the heel, to row 0, the toes, on the inner side of a left foot."""
    time = np.linspace(0.0, 1.0, frames)[:, None, None]
    row, column = np.mgrid[:rows, :columns]
    along = (row - (0.85 - 0.7 * time) * (rows - 1)) / (0.2 * rows)
    across = (column - (0.5 + 0.15 * time) * (columns - 1)) / (0.25 * columns)
    values = peak * np.exp(-0.5 * (along**2 + across**2)) * np.sin(np.pi * time)
    return np.round(2.0 * np.where(values < 2.0, 0.0, values)) / 2.0


def walk(sensors, seconds=4.0, rate=50.0, peak=120.0):
    """(T, 2, sensors) kPa of both feet, times (T,) s: stances of 0.6 s every 1 s, the right foot half a second after the left; heel first."""
    times = np.arange(round(seconds * rate)) / rate
    feet = []
    for begin in (0.2, 0.7):
        phase = ((times - begin) % 1.0) / 0.6
        standing = (phase < 1.0) & (times >= begin)
        load = np.where(standing, np.sin(np.pi * np.clip(phase, 0.0, 1.0)), 0.0)
        place = np.exp(-0.5 * ((np.arange(sensors) / (sensors - 1) - phase[:, None]) / 0.3) ** 2)
        feet.append(np.round(peak * load[:, None] * place, 1))
    return np.stack(feet, axis=1), times


def tekscan(frames, side="L", *, unit="KPa", row_spacing="5.08 mm", column_spacing="5.08 mm", period="0.02", sole=True, new=False, kind="FSCAN",
            end="@@"):
    """frames: (T, rows, columns)."""
    count, rows, columns = frames.shape
    there = np.ones((rows, columns), dtype=bool)
    if sole:
        there[0, :columns // 2] = there[-1, 0] = there[-1, -1] = False
    lines = ["DATA_TYPE MOVIE", "VERSION Tekscan Pressure Measurement System 6.33", f"FILENAME C:\\MOVIES\\walk{side}.fsx", f"SENSOR_TYPE {kind}",
             f"ROWS {rows}",
             f"COLS {columns}", f"ROW_SPACING {row_spacing}", f"COL_SPACING {column_spacing}", f"SECONDS_PER_FRAME {period}",
             "SATURATION_PRESSURE 1500 KPa ",
             "COMMENTS:", "ROWS are many here", "START_FRAME 1", f"END_FRAME {count}", f"UNITS {unit}", "MIRROR_ROW 0", "ASCII_DATA @@", ""]
    for number, frame in enumerate(frames, start=1):
        more = f", {(number - 1) * float(period):.3f},, 01/02/2020 10:11:12,,,Raw Sum=,,{frame.sum():.0f}" if new else ""
        lines += [f"Frame {number}{more}", *(",".join(f"{value:g}" if here else "B" for value, here in zip(row, at, strict=True)) for row,
                                             at in zip(frame, there, strict=True)), ""]
    return "\r\n".join([*lines, end])


def pedar(feet, times, *, kind="y-1865l-1870r-pxf306", unit="kPa", comma=False, summary=True):
    """feet: (T, 2, 99)."""
    ids = "\t".join(f"{n:7d}" for n in range(1, 100))
    lines = ["file name:  walk.sol\tdate/time  25.04.23 10.49", f"sensor type:  {kind} ",
             f"total time [secs]:  {times[-1]:.3f}\ttime per frame [secs]:  0.02000\t"
             "scanning rate [Hz]:   50", f"pressure values in  {unit}", "", "mask definition: ", "left insole: 1,2,3", "right insole: 1,2,3", "",
             f"time[secs]    \t{ids}\t{ids}"]
    rows = ["\t".join([f"{time + 0.02:12.5f}", *(f"{value:7.3f}" for value in frame.ravel())]) for time, frame in zip(times, feet, strict=True)]
    if summary:
        rows += ["\t".join([word, *(f"{value:7.3f}" for value in feet.max(axis=0).ravel())]) for word in ("MVP", "MPP")]
    text = "\n".join([*lines, *rows, ""])
    return text.replace(".", ",") if comma else text


def pliance(values, times, areas, centres):
    """values: (T, S); frames without any load are left out of the first table. areas: (S,) cm², centres: (S, 2) cm, x and y."""
    sensors = values.shape[1]
    loaded = values.sum(axis=1) > 0.0
    words = "".join(f"{n + 4:8d}" for n in range(sensors))
    lines = ["file name: 1.mat date/time 17.06.23 15.21", "mat type s2160_001",
             f"total times [secs]: {times[-1]:.3f} time per frame [secs]: 0.02000 scanning rate [Hz]: 50",
             "pressure values in kPa", "", "", "electrical:", f"time[secs]{words}"]
    lines += [f"{time:11.5f}" + "".join(f"{value:8.3f}" for value in row) for time, row, on in zip(times, values, loaded, strict=True) if on]
    lines += ["        MPP" + "".join(f"{value:8.3f}" for value in values.max(axis=0)), "", "", " time[secs] force[N]   x[cm]   y[cm]", ""]
    lines += [f"{time:11.5f} {(row @ areas) * 0.1:8.3f} " + ("   1.000   1.000" if on else "       -       -")
              for time, row, on in zip(times, values, loaded, strict=True)]
    lines += ["", "", "sensor" + words, "corner[cm]"]
    for name, row in (("x[c]", centres[:, 0]), ("y[c]", centres[:, 1]), ("area", areas)):
        lines.append(name + "".join(f"{value:9.4f}" for value in row))
    return "\r\n".join(lines)


def emed(frames, *, first_row=5, first_column=7, matrix="40x60", pages=1):
    """frames: (T, rows, columns), of which only that box is printed, over so many pages a picture."""
    lines = []
    for number, frame in enumerate([*frames, frames.max(axis=0)], start=1):
        title = f"\t{f'Pict-No.: {number}' if number <= len(frames) else 'MVP'}  Force[N]=sum*sensor_area in row/column"
        for piece in np.array_split(np.arange(frame.shape[1]), pages):
            lines += ["", "\t\t\t\tPage 1", "", f"\tFile: C:\\novel\\2.dat \tMatrix: {matrix} ", "\tSensor area: 0.25 cm²\tTime/picture:20.0 ms",
                      "\tMV over frames",
                      "\tSensor size: 0.500x0.500 cm", "\tnovel munich/st.paul/london", title, "",
                      "\t" + "\t".join(str(first_column + c) for c in piece) + "\tForce"]
            lines += [f"{first_row + row}\t" + "\t".join(f"{value:.2f}" for value in values[piece]) + f"\t{values[piece].sum() * 0.025:.2f}" for row,
                      values in enumerate(frame)]
            sums = [*frame[:, piece].sum(axis=0), frame[:, piece].sum()]
            lines += ["Force\t" + "\t".join(f"{value * 0.025:.2f}" for value in sums), "\f"]
    return "\n".join(lines)


def xsensor(left, right, rate=50.0, *, unit="mmHg", names=("HX210-LF S0073", "HX210-RF S0073"), separator=",", begin="23:59:59.900"):
    """left, right: (T, rows, columns) in the unit."""
    hours, minutes, seconds = (float(word) for word in begin.split(":"))
    lines = ['File:,"C:\\a,b.XSN"', f"Units:,{unit}", "Threshold:,5"]
    for number, pair in enumerate(zip(left, right, strict=True)):
        time = (3600 * hours + 60 * minutes + seconds + number / rate) % 86400
        lines += [f"FRAME,{1464 + number}", "Date, 2022 Aug 16", f"Time, {int(time // 3600):02d}:{int(time // 60) % 60:02d}:{time % 60:06.3f}"]
        for name, frame in zip(names, pair, strict=True):
            lines += [f"SENSOR,{name}", f"Rows,{frame.shape[0]}", f"Columns,{frame.shape[1]}", "Sensel Width (cm),0.86", "Sensel Height (cm),0.9",
                      f"Average Pressure ({unit}),1",
                      "Est. Load (N),411.67", "SENSELS", *(",".join(f"{value:g}" for value in row) for row in frame)]
        lines += ["GROUP,1", "Name,Left Heel", "Cells,3", "SENSELS", "1,2,3"]
    padded = "\r\n".join(line + ",,,,\r\n,,,," for line in lines)
    return padded if separator == "," else padded.replace(".", "#").replace(",", separator).replace("#", ",")


def footscan(feet, rate=500.0):
    """feet: by name ("Right"), (T, rows, columns) N a cell, heel first. Rows of cells."""
    rows = [["Dynamic Roll off for measurement: Barefoot_2"], ["Patient name: NA"], [],
            [f"Scanning speed;  for the left foot: 0.00 Hertz, for the right foot: {rate:.2f} Hertz"], []]
    for place, (name, frames) in enumerate(feet.items()):
        rows += [[f"{name} foot data"], [], [f"{name} rectangle position"], ["Rectangle bottom"], [6.0 + 30 * place], ["Rectangle left"],
                 [40.0 - 30 * place],
                 ["Rectangle width"], [float(frames.shape[2])], ["Rectangle height"], [float(frames.shape[1])], []]
        for number, frame in enumerate(frames):
            rows += [[f"Frame {number} ({1e3 * number / rate:.2f} ms)"], *(list(map(float, row)) for row in frame), []]
    return rows


def as_text(rows):
    return "\r\n".join("\t".join(cell if isinstance(cell, str) else f"{cell:g}" for cell in row) for row in rows)


def as_workbook(rows, sector=512):
    """An Excel 97 workbook: strings in a table that goes on in a second record, numbers in three forms."""
    words = sorted({cell for row in rows for cell in row if isinstance(cell, str)})

    def record(kind, content):
        return struct.pack("<HH", kind, len(content)) + content

    letters = b"".join(struct.pack("<HB", len(word), 0) + word.encode("latin-1") for word in words[:-1])
    last = words[-1]
    cut = len(last) // 2
    table = record(0xFC, struct.pack("<II", len(words), len(words)) + letters + struct.pack("<HB", len(last), 0) + last[:cut].encode("latin-1"))
    table += record(0x3C, b"\x01" + last[cut:].encode("utf-16-le"))
    sheet = [record(0x809, struct.pack("<HHHHII", 0x600, 0x10, 0, 0, 0, 0))]
    for number, row in enumerate(rows):
        for column, cell in enumerate(row):
            head = struct.pack("<HHH", number, column, 0)
            if isinstance(cell, str):
                sheet.append(record(0xFD, head + struct.pack("<I", words.index(cell))))
            elif cell == int(cell) and column % 3 == 0:
                sheet.append(record(0x27E, head + struct.pack("<i", int(cell) << 2 | 2)))
            elif column % 3 == 1 and cell * 100 == int(cell * 100):
                small = struct.pack("<Hi", 0, int(cell * 100) << 2 | 3)
                sheet.append(record(0xBD, struct.pack("<HH", number, column) + small + struct.pack("<H", column)))
            else:
                sheet.append(record(0x203, head + struct.pack("<d", cell)))
    sheet.append(record(0x0A, b""))
    begin = record(0x809, struct.pack("<HHHHII", 0x600, 0x05, 0, 0, 0, 0))
    name = record(0x85, struct.pack("<IBBBB", 0, 0, 0, 2, 0) + b"S1")
    where = len(begin) + len(name) + len(table) + 4
    name = record(0x85, struct.pack("<IBBBB", where, 0, 0, 2, 0) + b"S1")
    return in_a_file_system(begin + name + table + record(0x0A, b"") + b"".join(sheet), sector)


def in_a_file_system(stream, sector=512):
    """One stream, called Workbook, in a compound file; a short one in small sectors, as it must be."""
    small = len(stream) < 4096
    body = stream + b"\0" * (-len(stream) % 64) if small else stream
    data = body + b"\0" * (-len(body) % sector)
    count, chain = len(data) // sector, []
    tables = 1
    while tables * (sector // 4) < count + 2 + tables:
        tables += 1
    chain = [*range(1, count), 0xFFFFFFFE, 0xFFFFFFFE, 0xFFFFFFFE] + [0xFFFFFFFD] * tables
    chain += [0xFFFFFFFF] * (tables * sector // 4 - len(chain))
    minis = [*range(1, len(body) // 64), 0xFFFFFFFE]

    def entry(name, kind, first, size, child=0xFFFFFFFF):
        letters = (name + "\0").encode("utf-16-le") if name else b""
        return letters.ljust(64, b"\0") + struct.pack("<HBBIII", len(letters), kind, 1, 0xFFFFFFFF, 0xFFFFFFFF,
                                                      child) + b"\0" * 36 + struct.pack("<III", first, size, 0)

    root = entry("Root Entry", 5, 0 if small else 0xFFFFFFFE, len(body) if small else 0, 1)
    directory = (root + entry("Workbook", 2, 0, len(stream))).ljust(sector, b"\0")
    mini = struct.pack(f"<{len(minis)}I", *minis).ljust(sector, b"\xff")[:sector] if small else b"\xff" * sector
    header = bytes.fromhex("d0cf11e0a1b11ae1") + b"\0" * 16 + struct.pack("<HHHHH", 0x3E, 3, 0xFFFE, sector.bit_length() - 1, 6) + b"\0" * 10
    header += struct.pack("<IIIIIIII", tables, count, 0, 4096, count + 1 if small else 0xFFFFFFFE, int(small), 0xFFFFFFFE, 0)
    header += struct.pack("<109I", *([count + 2 + n for n in range(tables)] + [0xFFFFFFFF] * (109 - tables)))
    return header.ljust(sector, b"\0") + data + directory + mini + struct.pack(f"<{len(chain)}I", *chain)


def moticon(feet, times, *, size=5, late=3, comma=False, forces=True):
    """feet: (T, 2, S) N/cm²; the left insole begins ``late`` frames after the right one."""
    more = ("total force[N]", "center of pressure X[-0.5...+0.5]") if forces else ()
    names = [f"{side} {name}" for side in ("left", "right")
             for name in (*(f"pressure {n + 1}[N/cm²]" for n in range(feet.shape[2])), "acceleration X[g]", *more)]
    lines = ["# Start time: 27.09.2023 10:21:14.922", f"# Size: {size}", "# Name: a",
             "# time\t" + "\t".join(names) + "\tRight Events label[]\tleft steps[]"]
    for number, (time, frame) in enumerate(zip(times, feet, strict=True)):
        words = [f"{time:.2f}"]
        for side, values in enumerate(frame):
            row = [*(f"{value:.2f}" for value in values), "0.100000", *([f"{values.sum() * 12.0:.2f}", "0.100000"] if forces else [])]
            words += [""] * len(row) if side == 0 and number < late else row
        lines.append("\t".join([*words, "toe off" if number == 7 else "", ""]))
    text = "\n".join([*lines, ""])
    return text.replace(".", ",") if comma else text


def stappone(feet, times, rest=400.0):
    """feet: (T, 1 or 2, 12) counts above rest."""
    sensors = ",".join(f"pressure_{n:02d}" for n in range(1, 13))
    lines = [f"sole_id,timestamp,accel_x,accel_y,accel_z,gyro_x,gyro_y,gyro_z,magn_x,magn_y,magn_z,{sensors},corrupt"]
    for number, (time, frame) in enumerate(zip(times, feet, strict=True)):
        for sole, values in enumerate(frame, start=1):
            corrupt = int(number == 5)
            counts = ",".join(f"{rest + 10 * n + value:.0f}" for n, value in enumerate(values))
            lines.append(f"{sole},{1768494979568 + 1000 * time + 3 * sole:.0f},1,2,3,4,5,6,0,0,0,{counts},{corrupt}")
    return "\n".join([*lines, ""])


def zebris(frames, *, side="R", dynamic=True, unit="N/cm2"):
    """frames: (T, rows, columns)."""
    rows = lambda frame: ["\t".join(f"{value if value else -1:g}" for value in row) for row in frame]  # noqa: E731
    lines = ["[General]", "UnitDistance=mm", f"UnitPressure={unit}", "UnitTime=ms", f"FootSide={side}", "", "[Customer]", "Name=a", "",
             "[Technical]", "MaxSensorsX=64",
             f"SensCountX={frames.shape[1]}", f"SensCountY={frames.shape[2]}", "LDistX=8.46591", "LDistY=8.46591", "TimeDiff=10", "MinIdx=3",
             f"MaxIdx={len(frames) + 2}", "",
             "[Data]", *rows(frames.max(axis=0)), ""]
    if dynamic:
        for number, frame in enumerate(frames, start=3):
            lines += [f"[Data{number}]", *rows(frame), ""]
    return "\r\n".join(lines)


def wii(cells, times, names=("time", "TL", "TR", "BL", "BR"), separator=",", scale=1.0):
    """cells: (T, 4) of the top left, top right, bottom left, bottom right."""
    lines = [separator.join(names)] + [separator.join([f"{time * scale:g}", *(f"{value:.3f}" for value in row)]) for time,
                                       row in zip(times, cells, strict=True)]
    text = "\n".join([*lines, ""])
    return text if separator == "," else text.replace(".", ",")


OWN = """# footfall pressure
# device, My insoles
# unit, kPa
# sensor, left_heel, left, 0.03, 0.0, 0.004
# sensor, left_ball, left, 0.18, 0.01, 0.005
# sensor, right_heel, right, 0.03, 0.0, 0.004
time, left_heel, left_ball, right_heel
0.00, 0, 0, 100
0.01, 50, 25.5,
0.02, 100, 51, 50
"""


def every_device():
    """A small file of each device, as bytes, by name."""
    frames = roll_off(12, 6, 8)
    feet, times = walk(99, 0.4)
    few, when = walk(16, 0.4)
    texts = {
        "tekscan.asf": tekscan(frames), "tekscan_new.csv": tekscan(frames, new=True, sole=False, kind="5101", unit="PSI", row_spacing="0.2 inches"),
        "pedar.asc": pedar(feet, times), "pliance.asc": pliance(frames.reshape(8, -1), np.arange(8) * 0.02 + 1.0, np.full(72, 0.5),
                                                                np.mgrid[:12, :6].reshape(2, -1).T * 0.7),
        "emed.lst": emed(frames, pages=2), "xsensor.csv": xsensor(frames, frames[:, :, ::-1]),
             "footscan.txt": as_text(footscan({"Left": frames, "Right": frames})),
        "moticon.txt": moticon(few / 10.0, when), "stappone.csv": stappone(walk(12, 0.4)[0] * 5.0, when), "zebris.apd": zebris(frames),
        "wii.csv": wii(np.abs(np.sin(np.arange(40).reshape(10, 4))) * 20.0, np.arange(10) * 0.01), "own.csv": OWN,
        "footprint.csv": "\n".join(",".join(f"{value:g}" for value in row) for row in roll_off(12, 9, 3)[1]),
    }
    latin = ("emed.lst",)
    found = {name: text.encode("latin-1" if name in latin else "utf-8") for name, text in texts.items()}
    return {**found, "footscan.xls": as_workbook(footscan({"Right": frames})), "small.xls": as_workbook(footscan({"Left": roll_off(4, 3, 2)}))}
