"""Recognise a character: by the names of its bones first, by their shape where names do not tell; and check a map of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import dist, hypot

from ..errors import RigError
from . import names, shape
from .bones import ABOVE, ARM, LEG, REQUIRED, SIDES, SLOTS, TRUNK, Bone, BoneMap, Tree, label
from .ends import with_ends

FOUND, GUESSED, MISSING = "found", "guessed", "missing"
BY_SHAPE = "by shape"
ENOUGH = 7  # slots found by name: a rig with as many is a known one that lacks something, one with fewer is unknown

Chains = dict[str, list[str]]


@dataclass(frozen=True)
class Note:
    """What is to be said about one part of the body: its status ("found", "guessed" or "missing") and a sentence, which may be empty."""

    status: str
    text: str = ""


@dataclass(frozen=True)
class Recognition:
    """Which bones are which part of the body, a note on every slot, whether the rig can walk, and all that in one sentence."""

    map: BoneMap
    notes: dict[str, Note]
    usable: bool
    summary: str


def recognise(bones: Sequence[Bone]) -> Recognition:
    """Find the parts of the body among the bones of a character in its rest pose."""
    if not bones:
        return _refused("The armature has no bones: select a character's armature, or add the mannequin.")
    tree = Tree(with_ends(bones))
    try:
        shaped, reason = shape.find(bones), ""
    except RigError as error:
        shaped, reason = {}, str(error)
    attempts = [_by_names(tree, match, shaped) for match in names.matches(tree)]
    if shaped:
        chains = _completed(tree, shaped)
        attempts.append(_checked(tree, _bone_map(chains, BY_SHAPE), dict.fromkeys(chains, "Found by its shape and place.")))
    usable = [attempt for attempt in attempts if attempt.usable]
    if usable:
        return usable[0]
    if attempts and (not reason or len(attempts[0].map.bones) >= ENOUGH):
        return attempts[0]
    return _refused(reason)


def check(bones: Sequence[Bone], bone_map: BoneMap) -> Recognition:
    """Look again at a map that somebody edited or loaded."""
    return _checked(Tree(with_ends(bones)), bone_map, {})


def _refused(reason: str) -> Recognition:
    return Recognition(BoneMap(), {slot: Note(MISSING, f"No bone was found for the {label(slot)}.") for slot in SLOTS}, False, reason)


def _bone_map(chains: Chains, family: str) -> BoneMap:
    found = {slot: tuple(chain) for slot, chain in chains.items() if chain}
    return BoneMap(found, dict(found), [], family)


def _by_names(tree: Tree, match: names.Match, shaped: Chains) -> Recognition:
    if match.controls:
        return _checked(tree, _control_map(tree, match), {})
    found = match.bones
    guesses = {}
    if all(found.get(slot, [""])[0] == shaped.get(slot, [None])[0] for slot in ("thigh.L", "thigh.R")):
        taken = {name for chain in found.values() for name in chain}
        more = {slot: chain for slot, chain in shaped.items() if slot not in found and not taken & {*chain}}
        guesses = dict.fromkeys(more, "Its name is unknown; found by its shape and place.")
        found = found | more
    chains = _completed(tree, found)
    if _looks_back(tree, chains):
        chains = {_mirrored(slot): chain for slot, chain in chains.items()}
        guesses |= {slot: "Named for the other side, but the feet show which way the character looks." for slot in chains if "." in slot}
    return _checked(tree, _bone_map(chains, match.family), guesses)


def _control_map(tree: Tree, match: names.Match) -> BoneMap:
    """The map of a control rig, whose bones hang on each other in ways of its own: only names tell."""
    carried = {name for side in SIDES for name in tree.up(match.bones.get(f"thigh.{side}", [None])[0])}
    controls = {slot: _rising(tree, chain) for slot, chain in match.controls.items()}
    controls["torso"] = [name for name in controls.get("torso", ()) if name not in carried]  # what carries the legs turns with the pelvis
    bones = {slot: _rising(tree, chain) for slot, chain in match.bones.items()}
    moved = [name for name in bones.get("torso", ()) if {*tree.up(name)} & {*controls["torso"]}]
    if moved:
        bones["pelvis"] = bones.get("pelvis", []) + [name for name in bones["torso"] if name not in moved]
        bones["torso"] = moved
    keyed = {slot: tuple(chain) for slot, chain in controls.items() if chain}
    return BoneMap({slot: tuple(chain) for slot, chain in bones.items() if chain}, keyed, list(match.switches), match.family)


def _completed(tree: Tree, found: Chains) -> Chains:
    """Whole chains from the bones that were found: spine and neck in order and divided where the arms begin, the pelvis as what carries the legs,
    and the bones in line between two joints of a limb."""
    chains = {slot: _central(tree, chain) if slot.startswith("toes") else chain if slot in TRUNK else chain[:1] for slot, chain in found.items()}
    trunk = _rising(tree, found.get("torso", []) + found.get("head", []))
    arms = [name for side in SIDES for name in _first(chains, [f"{part}.{side}" for part in ARM])]
    carrier = {*tree.up(tree.common(arms))} if len(arms) == len(SIDES) else set()
    below = max((number for number, name in enumerate(trunk, start=1) if name in carrier), default=None)
    if below is None:
        below = sum(1 for name in trunk if name not in found.get("head", ()))
    torso, head = trunk[:below], trunk[below:]
    thighs = [chains[slot][0] for slot in ("thigh.L", "thigh.R") if slot in chains]
    if len(thighs) == 2 and (base := tree.common(thighs)):
        torso = [name for name in torso if name not in tree.up(base)]
        base = tree.common([*thighs, *torso[:1]]) or base
        if _near_hips(tree, base, chains):
            named = [name for name in found.get("pelvis", ()) if name in tree.up(base)]
            chains["pelvis"] = tree.path(named[0], base) if named else [base]
    chains["torso"] = [name for name in _filled(tree, torso) if name not in chains.get("pelvis", ())]
    chains["head"] = _filled(tree, head)
    for slot, above in ABOVE.items():
        if slot in chains and above in chains:
            chains[above] = tree.path(chains[above][0], chains[slot][0])[:-1] or chains[above]
    return {slot: chain for slot, chain in chains.items() if chain}


def _first(chains: Chains, slots: Sequence[str]) -> list[str]:
    """The bone with which a limb of these slots begins, alone in a list; none where it has no bones."""
    return next((chains[slot][:1] for slot in slots if slot in chains), [])


def _rising(tree: Tree, chain: Sequence[str]) -> list[str]:
    """Bones from the lowest to the highest; where they start at one height, from the root outwards."""
    heights = [tree.head(name)[2] for name in chain]
    size = max(heights) - min(heights) if chain else 0.0
    return sorted(chain, key=lambda name: (round(tree.head(name)[2] / (size or 1.0), 3), len([*tree.up(name)])))


def _central(tree: Tree, chain: Sequence[str]) -> list[str]:
    """Bones side by side, as five toes are, from the middle one outwards."""
    middle = [sum(tree.head(name)[axis] for name in chain) / len(chain) for axis in range(3)]
    return sorted(chain, key=lambda name: dist(tree.head(name), middle))


def _filled(tree: Tree, chain: list[str]) -> list[str]:
    """The chain with the bones in between that were not named."""
    return (tree.path(chain[0], chain[-1]) or chain) if chain else []


def _near_hips(tree: Tree, base: str, chains: Chains) -> bool:
    """Whether a bone starts close enough to the hip joints to be the pelvis: a root on the floor may carry the legs too."""
    hips = [tree.head(chains[f"thigh.{side}"][0]) for side in SIDES]
    thighs = [dist(hip, tree.head(chains[f"shin.{side}"][0])) for hip, side in zip(hips, SIDES, strict=True) if f"shin.{side}" in chains]
    return dist(tree.head(base), shape.middle(*hips)) < max(thighs, default=0.0)


def _looks_back(tree: Tree, chains: Chains) -> bool:
    """Whether the toes clearly point to where the back would be if left were left."""
    if not all(f"{part}.{side}" in chains for part in LEG for side in SIDES):
        return False
    heads = {slot: tree.head(chain[0]) for slot, chain in chains.items()}
    (left_x, left_y, _), (right_x, right_y, _) = heads["thigh.L"], heads["thigh.R"]
    ahead = (left_y - right_y, right_x - left_x)
    feet = [(heads[f"foot.{side}"], heads[f"toes.{side}"]) for side in SIDES]
    reach = [(toe[0] - ankle[0]) * ahead[0] + (toe[1] - ankle[1]) * ahead[1] for ankle, toe in feet]
    return sum(reach) < -0.5 * hypot(*ahead) * sum(dist(ankle, toe) for ankle, toe in feet)


def _mirrored(slot: str) -> str:
    part, _, side = slot.partition(".")
    return f"{part}.{'R' if side == 'L' else 'L'}" if side else slot


def _checked(tree: Tree, bone_map: BoneMap, guesses: Mapping[str, str]) -> Recognition:
    notes = {slot: _note(tree, bone_map, slot, guesses) for slot in SLOTS}
    if all(notes[slot].status != MISSING for slot in REQUIRED):
        notes |= {slot: Note(MISSING, text) for slot, text in _posture(tree, bone_map.bones)}
    usable = all(notes[slot].status != MISSING for slot in REQUIRED)
    return Recognition(bone_map, notes, usable, _summary(bone_map, notes, usable))


def _note(tree: Tree, bone_map: BoneMap, slot: str, guesses: Mapping[str, str]) -> Note:
    chain, above = bone_map.bones.get(slot, ()), bone_map.bones.get(ABOVE.get(slot, ""), ())
    part = label(slot.partition(".")[0])
    if not chain:
        if above:
            return Note(MISSING, f"Bone '{above[-1]}' has no child that could be {'' if part == 'toes' else 'a '}{part}.")
        return Note(MISSING, f"No bone was found for the {label(slot)}.")
    gone = [name for name in (*chain, *bone_map.controls.get(slot, ())) if name not in tree.bones]
    if gone:
        return Note(MISSING, f"Bone '{gone[0]}' for the {label(slot)} is not in this armature: pick another one.")
    for other in SLOTS[: SLOTS.index(slot)]:
        shared = [name for name in chain if name in bone_map.bones.get(other, ())]
        if shared:
            return Note(MISSING, f"Bone '{shared[0]}' is already the {label(other)}: pick another one for the {label(slot)}.")
    if slot in guesses:
        return Note(GUESSED, guesses[slot])
    if above and above[0] not in tree.up(chain[0]):
        return Note(GUESSED, f"Bone '{chain[0]}' does not hang on '{above[-1]}'; check that it is the right one.")
    return Note(FOUND)


def _posture(tree: Tree, bones: Mapping[str, tuple[str, ...]]) -> list[tuple[str, str]]:
    """What keeps the mapped bones from being a person that stands: (slot, sentence) each."""
    heads = {slot: tree.head(chain[0]) for slot, chain in bones.items() if chain and all(name in tree.bones for name in chain)}
    found = []
    for side in SIDES:
        for part, below in pairwise(LEG[:3]):
            slot, length = f"{part}.{side}", dist(heads[f"{part}.{side}"], heads[f"{below}.{side}"])
            if heads[slot][2] - heads[f"{below}.{side}"][2] <= 0.5 * length:
                found.append((slot, f"Bone '{bones[slot][0]}' ({label(slot)}) does not point down: turn the object so that it stands upright."))
    hips = shape.middle(heads["thigh.L"], heads["thigh.R"])
    leg = dist(heads["thigh.L"], heads["foot.L"])
    if dist(heads["thigh.L"], heads["thigh.R"]) < 0.02 * leg:
        found.append(("thigh.R", f"Bones '{bones['thigh.L'][0]}' and '{bones['thigh.R'][0]}' start in one place: they cannot be two thighs."))
    top = heads.get("head") or (tree.tail(bones["torso"][-1]) if "torso" in heads else None)
    if not found and top and top[2] - hips[2] < 0.6 * dist(top, hips):
        found.append(("pelvis", f"The spine above '{bones['pelvis'][0]}' does not rise: only characters that stand upright on two legs can walk."))
    return found


def _summary(bone_map: BoneMap, notes: Mapping[str, Note], usable: bool) -> str:
    missing = [slot for slot in SLOTS if notes[slot].status == MISSING]
    if usable:
        who = {BY_SHAPE: "Recognised by shape", "": "Mapped by hand"}.get(bone_map.family, f"{bone_map.family} rig")
        without = f", without {_listed(missing)}" if missing else ""
        return f"{who}, {len(SLOTS) - len(missing)} of {len(SLOTS)} parts found{without}"
    needed = [slot for slot in missing if slot in REQUIRED]
    wrong = [slot for slot in needed if bone_map.bones.get(slot) or bone_map.bones.get(ABOVE.get(slot, ""))]
    if wrong:
        return notes[wrong[0]].text
    return f"No bones were found for {_listed(needed)}: a character needs a pelvis and two legs; pick the bones by hand if they are there."


def _listed(slots: Sequence[str]) -> str:
    """'hands, left foot and right shin': what is the same on both sides in one word."""
    parts = []
    for slot in slots:
        part, _, side = slot.partition(".")
        if side == "L" and f"{part}.R" in slots:
            parts.append({"foot": "feet", "toes": "toes"}.get(part, label(part) + "s"))
        elif side != "R" or f"{part}.L" not in slots:
            parts.append(label(slot))
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)
